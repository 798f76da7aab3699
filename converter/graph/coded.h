// Constants that a model brings as codes, and what they become when their elements move.
#ifndef OCTET_CONVERTER_GRAPH_CODED_H_
#define OCTET_CONVERTER_GRAPH_CODED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/graph/tensor.h"

namespace octet::passes {
class Editor;
}

namespace octet::graph {

// Real data with the codes that they are: data = scale * (code - zero_point), element by element.
// Constant proves that.
//
// Scales and zero points are tensors of `spread`, which has the rank of the data and is 1 along
// every axis that they do not depend on. A scale of 0 says that its elements are no codes.
struct Codes {
  Tensor data;
  Shape spread;
  std::vector<float> scales;
  std::vector<int> zero_points;  // of int8: those of uint8 are 128 less
  // Of int32, which a float cannot hold in full: one an element. Else empty: of int8.
  std::vector<int64_t> integers;

  // Index into `scales` of each element of the data.
  std::vector<size_t> ScaleOfElements() const;
};

// A constant tensor, or none, read as a pointer is. Data and codes change together, here: to give a
// value other data one has to say what became of its codes.
class Constant {
 public:
  Constant() = default;  // none
  // Values that never were codes.
  static Constant Real(Tensor data);
  // Values in place of codes, which are none: the layer that reads them is quantized anew.
  static Constant Uncoded(Tensor data);
  // As the model has them. Uncoded where the data are not what the codes say, as for scales so
  // small that float cannot hold their products.
  static Constant Coded(Codes codes);

  const Tensor* get() const { return data_.get(); }
  const Tensor& operator*() const { return *data_; }
  const Tensor* operator->() const { return data_.get(); }
  explicit operator bool() const { return data_ != nullptr; }
  bool operator==(std::nullptr_t) const { return data_ == nullptr; }
  // Null where there are none.
  const Codes* codes() const { return codes_.get(); }
  bool IsUncoded() const { return uncoded_; }
  // Throws logic_error where this takes the place of `old` and its codes are lost without a word:
  // this has none, and is not Uncoded. name: of the value.
  void RequireCodesOf(const Constant& old, const std::string& name) const;

  // Element i is element sources[i] of this, or 0 where that is -1.
  Constant Gathered(Shape shape, std::span<const int64_t> sources) const;
  // The same elements in the same order.
  Constant Reshaped(Shape shape) const;
  // Element i times factors[i]. Codes of int32 are given up.
  Constant Multiplied(std::span<const float> factors) const;

 private:
  static Constant Of(Codes codes);
  std::shared_ptr<const Tensor> data_;  // the data of `codes_` where there are any
  std::shared_ptr<const Codes> codes_;
  bool uncoded_ = false;
};

// What a model says of the codes that a value is rounded to: real = scale * (code - zero_point).
struct Given {
  float scale = 1;
  int zero_point = 0;  // of int8: those of uint8 are 128 less
  bool operator==(const Given& other) const = default;
  // Each value becomes the nearest one that a code says.
  void Round(std::vector<float>& values) const;
  // Ends of what the codes can say.
  float Low() const { return scale * static_cast<float>(-128 - zero_point); }
  float High() const { return scale * static_cast<float>(127 - zero_point); }
};

// The codes given for a value, or none, read as a pointer is. They go with a value when it is
// copied; the editor of passes alone makes new ones.
class GivenCodes {
 public:
  GivenCodes() = default;
  const Given* get() const { return given_ ? &*given_ : nullptr; }
  const Given& operator*() const { return *given_; }
  const Given* operator->() const { return &*given_; }
  explicit operator bool() const { return given_.has_value(); }
  bool operator==(std::nullptr_t) const { return !given_.has_value(); }

 private:
  friend class passes::Editor;
  friend class GivenByTest;  // tests/converter/graph/given_by_test.h
  explicit GivenCodes(const Given& given) : given_(given) {}
  std::optional<Given> given_;
};

}  // namespace octet::graph

#endif  // OCTET_CONVERTER_GRAPH_CODED_H_
