#include "converter/import/bind.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/ranges.h>

#include "converter/import/input_shapes.h"
#include "converter/import/near_names.h"
#include "converter/import/plain_names.h"
#include "converter/import/tensor.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::Shape;
using graph::Tensor;

constexpr int64_t kFirstVersionWithDefaults = 4;  // of IR: initialisers are no inputs since then

std::optional<int64_t> AsInteger(std::string_view word) {
  if (word == "true") return 1;
  if (word == "false") return 0;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<float> AsFloat(const std::string& word) {
  char* end = nullptr;
  const float value = std::strtof(word.c_str(), &end);
  if (word.empty() || *end != 0 || std::isspace(static_cast<unsigned char>(word[0])) != 0 ||
      std::isnan(value)) {
    return std::nullopt;
  }
  return value;
}

Tensor ParseValues(std::string_view text, std::string_view whole) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  const Shape shape = words.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(words.size())};
  std::vector<int64_t> integers;
  std::vector<float> floats;
  for (const std::string& word : words) {
    const std::optional<int64_t> integer = AsInteger(word);
    const std::optional<float> real = integer ? static_cast<float>(*integer) : AsFloat(word);
    if (!real) {
      Fail("--bind '{}': '{}' is not a number; give NAME=NUMBER,... or NAME=@FILE.npy", whole,
           word);
    }
    if (integer) integers.push_back(*integer);
    floats.push_back(*real);
  }
  if (integers.size() == words.size()) return Tensor::Integers(shape, std::move(integers));
  return Tensor::Floats(shape, std::move(floats));
}

// The value of each element of `shape`; nothing where `value` does not fit.
template <typename T>
std::optional<std::vector<T>> Spread(const std::vector<T>& values, const Shape& own,
                                     const Shape& shape) {
  const auto count = static_cast<size_t>(graph::ElementCount(shape));
  if (values.size() == count) return values;
  if (own.size() > shape.size()) return std::nullopt;
  const size_t lead = shape.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] != 1 && own[i] != shape[lead + i]) return std::nullopt;
  }
  std::vector<T> spread(count);
  for (size_t at = 0; at < count; ++at) {
    size_t rest = at, from = 0, step = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      const auto dim = static_cast<size_t>(shape[i]);
      const size_t index = rest % dim;
      rest /= dim;
      if (i < lead || own[i - lead] == 1) continue;
      from += index * step;
      step *= static_cast<size_t>(own[i - lead]);
    }
    spread[at] = values[from];
  }
  return spread;
}

// What an element of an integer type may be; empty for floats.
struct Limits {
  int64_t least, most;
};
std::optional<Limits> LimitsOf(int type) {
  using onnx::TensorProto;
  constexpr int64_t kLeast32 = std::numeric_limits<int32_t>::min(),
                    kMost32 = std::numeric_limits<int32_t>::max();
  switch (type) {
    case TensorProto::BOOL:
      return Limits{0, 1};
    case TensorProto::INT8:
      return Limits{-128, 127};
    case TensorProto::UINT8:
      return Limits{0, 255};
    case TensorProto::INT16:
      return Limits{-32768, 32767};
    case TensorProto::UINT16:
      return Limits{0, 65535};
    case TensorProto::INT32:
    case TensorProto::INT64:  // the converter's integers are 32 bits
      return Limits{kLeast32, kMost32};
    case TensorProto::UINT32:
    case TensorProto::UINT64:
      return Limits{0, kMost32};
    default:
      return std::nullopt;
  }
}

// Of a value as large as the input; its name is the caller's to set.
onnx::TensorProto IntegersOf(const std::string& what, int type, const Limits& limits,
                             const std::vector<int64_t>& values) {
  onnx::TensorProto tensor;
  for (const int64_t value : values) {
    if (value < limits.least || value > limits.most) {
      Fail("{}: {} is outside {} to {}, which this {} input takes; give a number within", what,
           value, limits.least, limits.most, ElementName(type));
    }
    if (type == onnx::TensorProto::INT64) {
      tensor.add_int64_data(value);
    } else if (type == onnx::TensorProto::UINT32 || type == onnx::TensorProto::UINT64) {
      tensor.add_uint64_data(static_cast<uint64_t>(value));
    } else {
      tensor.add_int32_data(static_cast<int32_t>(value));
    }
  }
  tensor.set_data_type(type);
  return tensor;
}

// Where the model does not say a dimension, an array of its rank does.
Shape ShapeOf(const onnx::ValueInfoProto& input, const Tensor& value, const Shape* chosen) {
  const auto& declared = input.type().tensor_type();
  if (chosen != nullptr) return FixInputShape(input, chosen, {});
  if (!declared.has_shape()) return value.shape;
  if (static_cast<size_t>(declared.shape().dim_size()) != value.shape.size()) {
    return FixInputShape(input, nullptr, {});
  }
  Shape shape = value.shape;
  for (int i = 0; i < declared.shape().dim_size(); ++i) {
    const int64_t dim = declared.shape().dim(i).dim_value();
    if (dim > 0) shape[static_cast<size_t>(i)] = dim;
  }
  return FixInputShape(input, &shape, {});
}

void Bind(const onnx::ValueInfoProto& input, const Tensor& value, const Shape* chosen,
          onnx::GraphProto* graph) {
  const std::string what = fmt::format("--bind '{}'", PlainName(input.name()));
  const int type = input.type().tensor_type().elem_type();
  if (!input.type().has_tensor_type() || !ToDataType(type)) {
    Fail("{}: the input is not a tensor of numbers; export the model with tensor inputs", what);
  }
  const std::optional<Limits> limits = LimitsOf(type);
  if (limits && value.IsFloat()) {
    Fail("{}: the input is {}; give integers", what, ElementName(type));
  }
  const Shape shape = ShapeOf(input, value, chosen);
  const auto misfit = [&] {
    Fail("{}: the value {} does not fit the input {}; give 1 number, or {}", what,
         graph::ToString(value.shape), graph::ToString(shape), graph::ElementCount(shape));
  };
  onnx::TensorProto tensor;
  std::string name = input.name();
  if (limits) {
    const auto values = Spread(value.integers, value.shape, shape);
    if (!values) misfit();
    tensor = IntegersOf(what, type, *limits, *values);
  } else {
    std::vector<float> floats = value.floats;
    for (const int64_t integer : value.integers) floats.push_back(static_cast<float>(integer));
    const auto values = Spread(floats, value.shape, shape);
    if (!values) misfit();
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const float v : *values) tensor.add_float_data(v);
    if (type != onnx::TensorProto::FLOAT) {
      name += "/bound";
      onnx::NodeProto& cast = *graph->add_node();
      cast.set_op_type("Cast");
      cast.set_name(name);
      cast.add_input(name);
      cast.add_output(input.name());
      onnx::AttributeProto& to = *cast.add_attribute();
      to.set_name("to");
      to.set_type(onnx::AttributeProto::INT);
      to.set_i(type);
      // In front of its readers.
      for (int i = graph->node_size() - 1; i > 0; --i)
        graph->mutable_node()->SwapElements(i, i - 1);
    }
  }
  tensor.set_name(name);
  for (const int64_t dim : shape) tensor.add_dims(dim);
  *graph->add_initializer() = std::move(tensor);
}

}  // namespace

std::pair<std::string, Tensor> ParseBinding(
    std::string_view text, const std::function<Tensor(const std::filesystem::path&)>& read) {
  const size_t file = text.find("=@");
  const bool is_file = file != std::string_view::npos;
  const size_t equals = is_file ? file : text.rfind('=');
  const size_t value = equals + (is_file ? 2 : 1);
  if (equals == std::string_view::npos || equals == 0 || value >= text.size()) {
    Fail(
        "--bind '{}' is not NAME=VALUE,... or NAME=@FILE.npy; for example --bind "
        "orig_target_sizes=640,640",
        text);
  }
  const std::string name(text.substr(0, equals));
  if (is_file) return {name, read(std::string(text.substr(value)))};
  return {name, ParseValues(text.substr(value), text)};
}

void BindInputs(const Bindings& bound, const std::map<std::string, Shape>& shapes,
                onnx::ModelProto* model) {
  if (bound.empty()) return;
  onnx::GraphProto& graph = *model->mutable_graph();
  std::vector<std::string> constants, names;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants.push_back(tensor.name());
  std::sort(constants.begin(), constants.end());
  std::map<std::string, int> inputs;
  for (int i = 0; i < graph.input_size(); ++i) {
    const std::string& name = graph.input(i).name();
    if (std::binary_search(constants.begin(), constants.end(), name)) continue;
    names.push_back(PlainName(name));
    inputs.emplace(names.back(), i);
  }
  std::vector<int> gone;
  for (const auto& [name, value] : bound) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) {
      Fail("--bind names '{}', which is not an input of the model; similar names: {}", name,
           fmt::join(NearNames(names, name), ", "));
    }
    const auto chosen = shapes.find(name);
    Bind(graph.input(found->second), value, chosen == shapes.end() ? nullptr : &chosen->second,
         &graph);
    gone.push_back(found->second);
  }
  if (gone.size() == names.size()) {
    Fail("--bind makes every input of the model a constant; leave one: {}", fmt::join(names, ", "));
  }
  if (model->ir_version() < kFirstVersionWithDefaults) return;
  std::sort(gone.rbegin(), gone.rend());
  for (const int i : gone) graph.mutable_input()->DeleteSubrange(i, 1);
}

}  // namespace octet::import
