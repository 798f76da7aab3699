#include "tests/converter/operators/list_support.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "converter/executor/executor.h"
#include "converter/operators/operator.h"

namespace octet::operators::list {

namespace {

graph::Tensor AsTensor(const Dense& dense) {
  graph::Tensor tensor;
  tensor.type = dense.type;
  tensor.shape = dense.shape;
  for (const double value : dense.values) {
    if (tensor.IsFloat()) {
      tensor.floats.push_back(static_cast<float>(value));
    } else {
      tensor.integers.push_back(static_cast<int64_t>(value));
    }
  }
  return tensor;
}

Dense AsDense(const graph::Tensor& tensor) {
  Dense dense;
  dense.type = tensor.type;
  dense.shape = tensor.shape;
  if (tensor.IsFloat()) {
    dense.values.assign(tensor.floats.begin(), tensor.floats.end());
  } else {
    dense.values.assign(tensor.integers.begin(), tensor.integers.end());
  }
  return dense;
}

}  // namespace

double Dense::at(const Index& index) const {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + index[d];
  return values[static_cast<size_t>(offset)];
}

double Dense::Broadcast(const Index& index) const {
  int64_t offset = 0;
  const size_t skip = index.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    offset = offset * shape[d] + (shape[d] == 1 ? 0 : index[d + skip]);
  }
  return values[static_cast<size_t>(offset)];
}

Dense Dense::Constant() const {
  Dense copy = *this;
  copy.constant = true;
  return copy;
}

void ForEach(const Shape& shape, const std::function<void(const Index&)>& body) {
  for (const int64_t dim : shape) {
    if (dim == 0) return;
  }
  Index index(shape.size(), 0);
  while (true) {
    body(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

Dense Make(const Shape& shape, const std::function<double(const Index&)>& value, DataType type) {
  Dense dense;
  dense.shape = shape;
  dense.type = type;
  ForEach(shape, [&](const Index& index) { dense.values.push_back(value(index)); });
  return dense;
}

Dense Absent() {
  Dense dense;
  dense.absent = true;
  return dense;
}

Dense List(const Index& values) {
  Dense dense;
  dense.shape = {static_cast<int64_t>(values.size())};
  dense.values.assign(values.begin(), values.end());
  dense.type = DataType::kInt64;
  dense.constant = true;
  return dense;
}

Shape Joined(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (const Shape* one : {&a, &b}) {
    for (size_t d = 0; d < one->size(); ++d) {
      int64_t& dim = shape[shape.size() - one->size() + d];
      if ((*one)[d] != 1) dim = (*one)[d];
    }
  }
  return shape;
}

int64_t Draw::Pick(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
}

double Draw::Between(double low, double high) {
  return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
}

Shape Draw::Dims(int64_t least_rank, int64_t most_rank, int64_t most) {
  Shape shape(static_cast<size_t>(Pick(least_rank, most_rank)));
  for (int64_t& dim : shape) dim = Pick(1, most);
  return shape;
}

Dense Draw::Floats(const Shape& shape, double low, double high) {
  // As FP32 has them: the expressions start from the same numbers.
  return Make(shape, [&](const Index&) {
    return static_cast<double>(static_cast<float>(Between(low, high)));
  });
}

Dense Draw::Integers(const Shape& shape, int64_t low, int64_t high, DataType type) {
  return Make(
      shape, [&](const Index&) { return static_cast<double>(Pick(low, high)); }, type);
}

Shape Draw::Narrow(const Shape& shape) {
  Shape narrow = shape;
  for (int64_t& dim : narrow) {
    if (Chance(35)) dim = 1;
  }
  while (!narrow.empty() && Chance(20)) narrow.erase(narrow.begin());
  return narrow;
}

Index Draw::Axes(int64_t rank, int64_t least) {
  Index axes;
  for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  while (static_cast<int64_t>(axes.size()) > least && Chance(50)) {
    axes.erase(axes.begin() + Pick(0, static_cast<int64_t>(axes.size()) - 1));
  }
  return axes;
}

std::vector<Dense> Run(const std::string& op, const std::vector<Dense>& inputs,
                       const Attributes& attributes, size_t outputs) {
  graph::Graph graph;
  graph::Node node;
  node.name = "n";
  node.op = op;
  node.attributes = attributes;
  std::vector<graph::Tensor> live;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].absent) {
      node.inputs.push_back(graph::kNoValue);
      continue;
    }
    graph::Tensor tensor = AsTensor(inputs[i]);
    const std::string name = "i" + std::to_string(i);
    if (inputs[i].constant) {
      node.inputs.push_back(graph.AddConstant(name, std::move(tensor)));
      continue;
    }
    graph::Value value;
    value.name = name;
    value.type = tensor.type;
    value.shape = tensor.shape;
    node.inputs.push_back(graph.AddValue(std::move(value)));
    graph.inputs.push_back(node.inputs.back());
    live.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < outputs; ++i) {
    graph::Value value;
    value.name = "o" + std::to_string(i);
    node.outputs.push_back(graph.AddValue(std::move(value)));
  }
  graph.outputs = node.outputs;
  graph.nodes.push_back(std::move(node));
  InferShapes(graph);
  executor::Executor executor(graph);
  std::vector<Dense> results;
  for (const graph::Tensor& tensor : executor.Run(live)) results.push_back(AsDense(tensor));
  return results;
}

void Expect(const Dense& got, const Dense& wanted) {
  EXPECT_EQ(graph::Name(got.type), graph::Name(wanted.type));
  ASSERT_EQ(graph::ToString(got.shape), graph::ToString(wanted.shape));
  ASSERT_EQ(got.values.size(), wanted.values.size());
  double size = 1;
  for (const double value : wanted.values) {
    if (std::isfinite(value)) size = std::max(size, std::abs(value));
  }
  for (size_t i = 0; i < got.values.size(); ++i) {
    const double a = got.values[i], b = wanted.values[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const bool near = got.type == DataType::kFloat && std::abs(a - b) <= 1e-5 * size;
    ASSERT_TRUE(near) << "element " << i << ": " << a << ", expected " << b;
  }
}

void Check(const std::string& op, const std::vector<Dense>& inputs, const Attributes& attributes,
           const std::vector<Dense>& wanted) {
  const std::vector<Dense> got = Run(op, inputs, attributes, wanted.size());
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    Expect(got[i], wanted[i]);
  }
}

}  // namespace octet::operators::list
