// Random inputs and independent expressions for the test of the whole list of operators.
#ifndef OCTET_TESTS_CONVERTER_OPERATORS_LIST_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_OPERATORS_LIST_SUPPORT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::operators::list {

using graph::DataType;
using graph::Shape;
using Index = std::vector<int64_t>;
using Attributes = std::map<std::string, graph::Attribute>;

// A tensor in double precision, whatever its type: expressions are written without regard to types.
struct Dense {
  Shape shape;
  std::vector<double> values;
  DataType type = DataType::kFloat;
  bool absent = false;    // an omitted input
  bool constant = false;  // known at conversion

  double at(const Index& index) const;  // of the shape's rank
  // As ONNX broadcasts: dimensions from the right, those of 1 repeated.
  double Broadcast(const Index& index) const;
  int64_t Whole(size_t i) const { return static_cast<int64_t>(values[i]); }
  Dense Constant() const;
};

// Where a list of dimensions goes round, last one fastest.
void ForEach(const Shape& shape, const std::function<void(const Index&)>& body);
Dense Make(const Shape& shape, const std::function<double(const Index&)>& value,
           DataType type = DataType::kFloat);
Dense Absent();
// Constant INT64s.
Dense List(const Index& values);
// The shape of a broadcast of both.
Shape Joined(const Shape& a, const Shape& b);

// Draws of one seed.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  int64_t Pick(int64_t low, int64_t high);  // inclusive
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  double Between(double low, double high);
  Shape Dims(int64_t least_rank, int64_t most_rank, int64_t most = 5);
  Dense Floats(const Shape& shape, double low = -2, double high = 2);
  Dense Integers(const Shape& shape, int64_t low, int64_t high, DataType type = DataType::kInt32);
  // A shape that broadcasts with this one, some dimensions 1, leading ones dropped.
  Shape Narrow(const Shape& shape);
  // Different axes, sorted; at least `least`.
  Index Axes(int64_t rank, int64_t least = 1);
  int64_t Sign(int64_t axis, int64_t rank) { return Chance(40) ? axis - rank : axis; }

 private:
  std::mt19937_64 random_;
};

// The node's outputs, by shape inference and the executor. Float inputs come at run time, and those
// of other types but INT64, unless marked constant.
std::vector<Dense> Run(const std::string& op, const std::vector<Dense>& inputs,
                       const Attributes& attributes = {}, size_t outputs = 1);

// Types, shapes and values: floats within 1e-5 of the larger of the range and 1, others exactly.
void Expect(const Dense& got, const Dense& wanted);
// Run, and each output compared.
void Check(const std::string& op, const std::vector<Dense>& inputs, const Attributes& attributes,
           const std::vector<Dense>& wanted);

}  // namespace octet::operators::list

#endif  // OCTET_TESTS_CONVERTER_OPERATORS_LIST_SUPPORT_H_
