// Constants and attributes that no exporter writes: empty dimensions, extreme numbers, axes and
// windows that do not fit.
#ifndef OCTET_TESTS_CONVERTER_OPERATORS_ODD_INPUTS_H_
#define OCTET_TESTS_CONVERTER_OPERATORS_ODD_INPUTS_H_

#include <random>

#include "tests/converter/operators/operator_support.h"

namespace octet::operators {

using Random = std::mt19937;

template <typename T>
const T& Pick(Random& random, const std::vector<T>& values) {
  return values[random() % values.size()];
}

inline Tensor OddTensor(Random& random) {
  static const std::vector<Shape> shapes = {
      {},     {0},       {1},          {4},          {2, 0},       {0, 2},       {2, 3},
      {3, 2}, {1, 0, 4}, {1, 3, 4},    {1, 3, 0, 4}, {1, 0, 4, 4}, {1, 4, 4, 4}, {4, 1, 3, 3},
      {4, 4}, {1, 1, 1}, {4, 4, 1, 1}, {0, 0, 1, 1}, {1, 1, 0, 0}, {4, 0, 3, 3}};
  static const std::vector<std::vector<int64_t>> lists = {{},
                                                          {0},
                                                          {1},
                                                          {-1},
                                                          {2},
                                                          {3, 1},
                                                          {0, -1},
                                                          {1, 1},
                                                          {2, 2},
                                                          {0, 0, 1, 1},
                                                          {1, 4, 4, 4},
                                                          {1 << 20},
                                                          {INT32_MAX},
                                                          {INT32_MIN},
                                                          {INT64_MAX},
                                                          {INT64_MIN},
                                                          {INT32_MAX, INT32_MAX},
                                                          {0, INT32_MAX},
                                                          {0, 0, 0, 0, 1, 1, 1, 1}};
  static const std::vector<float> numbers = {0, 1, -1, 0.5f, 1e38f, -1e38f, NAN, INFINITY, 1e-40f};
  if (random() % 2 == 0) {
    Tensor tensor = I(Pick(random, lists));
    if (tensor.integers.size() == 1 && random() % 2 == 0) tensor.shape = {};
    if (random() % 8 == 0) tensor.type = graph::DataType::kBool;
    return tensor;
  }
  Tensor tensor = Ramp(Pick(random, shapes));
  for (float& value : tensor.floats) {
    if (random() % 4 == 0) value = Pick(random, numbers);
  }
  return tensor;
}

inline Attributes OddAttributes(Random& random) {
  static const std::vector<const char*> numbers = {"axis",          "keepdims",
                                                   "group",         "to",
                                                   "blocksize",     "num_outputs",
                                                   "ceil_mode",     "allowzero",
                                                   "end",           "start",
                                                   "transA",        "count_include_pad",
                                                   "transB",        "noop_with_empty_axes",
                                                   "octet_coerced", "value_int"};
  static const std::vector<const char*> lists = {"pads", "strides", "dilations",   "kernel_shape",
                                                 "perm", "axes",    "output_shape"};
  static const std::vector<std::pair<const char*, const char*>> words = {
      {"auto_pad", "SAME_UPPER"},
      {"auto_pad", "VALID"},
      {"mode", "edge"},
      {"mode", "reflect"},
      {"mode", "wrap"},
      {"mode", "linear"},
      {"mode", "CRD"},
      {"mode", "nearest"},
      {"nearest_mode", "ceil"},
      {"coordinate_transformation_mode", "align_corners"}};
  static const std::vector<int64_t> values = {0, 1, -1, 2, 3, 4, 7, 1 << 20, INT32_MAX, INT64_MIN};
  Attributes attributes;
  for (uint32_t i = random() % 4; i > 0; --i) {
    const bool tame = random() % 2 == 0;
    const auto value = [&] {
      return tame ? static_cast<int64_t>(random() % 3) : Pick(random, values);
    };
    switch (random() % 3) {
      case 0:
        attributes[Pick(random, numbers)] = value();
        break;
      case 1: {
        std::vector<int64_t> list(random() % 5);
        for (int64_t& entry : list) entry = value();
        attributes[Pick(random, lists)] = list;
        break;
      }
      default: {
        const auto& [key, word] = Pick(random, words);
        attributes[key] = std::string(word);
      }
    }
  }
  if (random() % 4 == 0) attributes["value"] = OddTensor(random);
  return attributes;
}

}  // namespace octet::operators

#endif  // OCTET_TESTS_CONVERTER_OPERATORS_ODD_INPUTS_H_
