// What holds between any two passes.
#include <cmath>
#include <stdexcept>
#include <string>

#include "converter/graph/graph.h"

namespace octet::graph {
namespace {

class Checker {
 public:
  Checker(const Graph& graph, std::string_view when) : graph_(graph), when_(when) {}

  void Run() const {
    std::vector<bool> produced(graph_.values.size(), false);
    for (const Node& node : graph_.nodes) {
      for (const ValueId id : node.inputs) Require(IsValue(id), node.name, "reads no value");
      for (const ValueId id : node.outputs) {
        Require(IsValue(id), node.name, "writes no value");
        if (id == kNoValue) continue;
        Require(!produced[static_cast<size_t>(id)], graph_.At(id).name, "has two producers");
        produced[static_cast<size_t>(id)] = true;
      }
    }
    for (size_t v = 0; v < graph_.values.size(); ++v) CheckValue(graph_.values[v], produced[v]);
  }

 private:
  bool IsValue(ValueId id) const {
    return id == kNoValue || (id >= 0 && static_cast<size_t>(id) < graph_.values.size());
  }

  void CheckValue(const Value& value, bool is_produced) const {
    if (value.constant) {
      const Tensor& data = *value.constant;
      const size_t count = data.IsFloat() ? data.floats.size() : data.integers.size();
      Require(count == static_cast<size_t>(data.Count()), value.name,
              "has another count of elements than its shape");
      // Inference knows some results in advance, which are rounded all the same.
      Require(!value.given || is_produced, value.name, "is constant and has given codes");
      // Codes are proved when they are made; they must still be those of these data.
      const Codes* codes = value.constant.codes();
      Require(codes == nullptr || &codes->data == &data, value.name, "has the codes of other data");
    }
    if (!value.given) return;
    Require(value.type == DataType::kFloat, value.name, "has given codes but is not float");
    Require(std::isfinite(value.given->scale) && value.given->scale > 0, value.name,
            "has given codes whose scale is not positive");
    Require(value.given->zero_point >= -128 && value.given->zero_point <= 127, value.name,
            "has given codes whose zero point is outside int8");
  }

  void Require(bool holds, const std::string& name, const char* what) const {
    if (!holds) throw std::logic_error(std::string(when_) + ": '" + name + "' " + what);
  }

  const Graph& graph_;
  std::string_view when_;
};

}  // namespace

void Check(const Graph& graph, std::string_view when) {
  Checker(graph, when).Run();
}

}  // namespace octet::graph
