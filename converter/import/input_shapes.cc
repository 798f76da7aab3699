#include "converter/import/input_shapes.h"

#include <charconv>
#include <optional>
#include <string>

#include <fmt/ranges.h>

#include "converter/import/import.h"
#include "converter/import/tensor.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::kUnknownDim;
using graph::Shape;

// An input is one picture or the like: far above any board, far below overflow.
constexpr uint64_t kMaxInputElements = uint64_t{1} << 31;

// The flag that would settle the shape: known dimensions as they are, those of the metadata, likely
// ones for the others.
std::string ExampleFlag(const std::string& name, const std::optional<Shape>& declared,
                        const metadata::Record& said) {
  Shape example = declared.value_or(Shape(4, kUnknownDim));
  // Four dimensions are a picture, NHWC when the last is known to be a channel count.
  const bool picture = example.size() == 4;
  const bool channels_last = picture && example[3] >= 1 && example[3] <= 4;
  const int64_t channels = said.channels ? *said.channels : 3;
  const metadata::PictureSize size = said.imgsz ? *said.imgsz : metadata::PictureSize{224, 224};
  const Shape likely = channels_last ? Shape{1, size.height, size.width, channels}
                                     : Shape{1, channels, size.height, size.width};
  for (size_t i = 0; i < example.size(); ++i) {
    if (example[i] == kUnknownDim) example[i] = picture ? likely[i] : i == 0 ? 1 : 128;
  }
  return fmt::format("--input-shape {}:{}", name, fmt::join(example, ","));
}

// Why the metadata is no help; empty where it is, or says nothing.
std::string WhyNoSize(const metadata::Record& said) {
  if (!said.imgsz.Unreadable()) return "";
  return fmt::format(", and of the metadata {}", metadata::NotReadable("imgsz", said.imgsz.text()));
}

void CheckOverride(const std::string& name, const std::optional<Shape>& declared,
                   const Shape& chosen, const metadata::Record& said) {
  if (declared && declared->size() != chosen.size()) {
    Fail("input '{}': --input-shape gives {} dimensions, the model has {}; for example {}", name,
         chosen.size(), declared->size(), ExampleFlag(name, declared, said));
  }
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] <= 0) {
      Fail("input '{}': --input-shape dimension {} must be positive; for example {}", name,
           chosen[i], ExampleFlag(name, declared, said));
    }
    const bool is_batch = i == 0 && chosen.size() > 1;
    if (declared && !is_batch && (*declared)[i] != kUnknownDim && (*declared)[i] != chosen[i]) {
      Fail(
          "input '{}': --input-shape sets dimension {} to {}, but the model fixes it at {}; for "
          "example {}",
          name, i, chosen[i], (*declared)[i], ExampleFlag(name, declared, said));
    }
  }
}

}  // namespace

std::optional<Shape> DeclaredShape(const onnx::ValueInfoProto& value) {
  const auto& tensor = value.type().tensor_type();
  if (!tensor.has_shape()) return std::nullopt;
  Shape shape;
  for (const auto& dim : tensor.shape().dim()) {
    // Some exporters write "unknown" as 0 or as a negative number.
    shape.push_back(dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : kUnknownDim);
  }
  return shape;
}

Shape FixInputShape(const onnx::ValueInfoProto& input, const Shape* override_shape,
                    const metadata::Record& said) {
  const std::string& name = input.name();
  const std::optional<Shape> declared = DeclaredShape(input);
  if (override_shape != nullptr) CheckOverride(name, declared, *override_shape, said);
  if (!declared && override_shape == nullptr) {
    Fail("input '{}' has no shape{}; give one, for example {}", name, WhyNoSize(said),
         ExampleFlag(name, declared, said));
  }
  Shape shape = override_shape != nullptr ? *override_shape : *declared;
  if (!shape.empty() && shape[0] == kUnknownDim) shape[0] = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != kUnknownDim) continue;
    const auto& dim = input.type().tensor_type().shape().dim(static_cast<int>(i));
    Fail("input '{}': dimension {}{} is unknown{}; give it, for example {}", name, i,
         dim.has_dim_param() ? fmt::format(" ('{}')", dim.dim_param()) : "", WhyNoSize(said),
         ExampleFlag(name, declared, said));
  }
  if (CheckedCount(shape, fmt::format("input '{}'", name)) > kMaxInputElements) {
    Fail("input '{}': shape {} has more than 2^31 elements; give a smaller --input-shape", name,
         graph::ToString(shape));
  }
  return shape;
}

std::pair<std::string, Shape> ParseInputShape(std::string_view text) {
  const auto refuse = [&] {
    Fail(
        "--input-shape '{}' is not NAME:D,D,... with numbers from 1; for example --input-shape "
        "image:1,3,224,224",
        text);
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) refuse();
  Shape shape;
  const char* at = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  while (true) {
    int64_t dim = 0;
    const auto [next, error] = std::from_chars(at, end, dim);
    if (error != std::errc() || dim <= 0) refuse();
    shape.push_back(dim);
    if (next == end) break;
    if (*next != ',') refuse();
    at = next + 1;
  }
  return {std::string(text.substr(0, colon)), shape};
}

}  // namespace octet::import
