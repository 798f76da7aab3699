#include "converter/cli/byte_inputs.h"

#include <algorithm>
#include <filesystem>

#include "converter/images/image_input.h"
#include "converter/import/description.h"
#include "converter/recognise/recognise.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

// The shape that the model is converted with; empty where the import will ask for it.
graph::Shape ShapeOf(const import::DescribedPort& input, const import::ImportOptions& options) {
  const auto chosen = options.input_shapes.find(input.name);
  if (chosen != options.input_shapes.end()) return chosen->second;
  graph::Shape shape = input.shape.value_or(graph::Shape());
  if (!shape.empty() && shape[0] == graph::kUnknownDim) shape[0] = 1;
  const bool known = std::none_of(shape.begin(), shape.end(),
                                  [](int64_t dim) { return dim == graph::kUnknownDim; });
  return known ? shape : graph::Shape();
}

bool ShowsPictures(const convert::ConvertOptions& options, size_t input) {
  if (options.random_calibration || input >= options.calibration.size()) return true;
  const std::string& path = options.calibration[input];
  if (options.golden_calibration || !std::filesystem::exists(path)) return false;
  return recognise::ContentsOf(path) == recognise::Contents::kPictures;
}

}  // namespace

bool TakesBytes(const convert::ConvertOptions& options) {
  const import::Description model = import::Describe(options.model);
  const import::DescribedPort *bytes = nullptr, *other = nullptr;
  size_t place = 0;
  for (const import::DescribedPort& input : model.inputs) {
    const bool bound = options.import.bound.count(input.name) != 0;
    const size_t at = bound ? place : place++;
    bool channels_last = false;
    if (bound || !images::IsImageInput(ShapeOf(input, options.import), &channels_last)) continue;
    if (input.type == "int8" && ShowsPictures(options, at)) {
      Fail(
          "{}: input '{}' is int8, and the model does not say how bytes of pictures become its "
          "codes; give --scale 1 --mean 128 for byte - 128, or as in training",
          options.model, input.name);
    }
    const bool integers = input.type.find("int") == 0 || input.type.find("uint") == 0;
    (integers ? bytes : other) = &input;
  }
  if (bytes != nullptr && other != nullptr) {
    Fail(
        "{}: input '{}' is {} and takes bytes as they are, '{}' is {}; give --scale, which is that "
        "of both",
        options.model, bytes->name, bytes->type, other->name, other->type);
  }
  return bytes != nullptr;
}

std::vector<std::string> TakeBytes(bool pixels_given, convert::ConvertOptions* options) {
  if (pixels_given || !TakesBytes(*options)) return {};
  options->preprocess.scale = 1;
  return {recognise::kBytesAsTheyAre};
}

}  // namespace octet::cli
