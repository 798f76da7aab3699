#include "converter/cli/byte_inputs.h"

#include <algorithm>
#include <filesystem>

#include "converter/convert/import.h"
#include "converter/graph/graph.h"
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

// What the graph makes of an input's integers first: real = scale * (code - zero_point) of the
// DequantizeLinear that reads them (a Cast is one of scale 1), which the blob leaves out.
recognise::BytePixels FirstOf(const convert::ConvertOptions& options, size_t input) {
  const graph::Graph graph = convert::ImportGraph(options.model, options.import);
  const graph::ValueId id = graph.inputs[input];
  if (graph.At(id).type == graph::DataType::kFloat) return {};
  const graph::Links links(graph);
  const graph::Node& reader =
      graph.nodes[static_cast<size_t>(links.consumers[static_cast<size_t>(id)][0])];
  const graph::Tensor* scale = graph.Constant(reader.inputs[1]);
  const graph::Tensor* zero = reader.inputs.size() > 2 ? graph.Constant(reader.inputs[2]) : nullptr;
  if (scale == nullptr || scale->Count() != 1 || (zero != nullptr && zero->Count() != 1)) {
    Fail(
        "{}: input '{}' has codes of several scales; give --scale, --mean and --std as in training",
        options.model, graph.At(id).name);
  }
  const float step = scale->floats[0];
  return {step, zero == nullptr ? 0 : step * static_cast<float>(zero->integers[0])};
}

bool ShowsPictures(const convert::ConvertOptions& options, size_t input) {
  if (options.random_calibration || input >= options.calibration.size()) return true;
  const std::string& path = options.calibration[input];
  if (options.blob_calibration || !std::filesystem::exists(path)) return false;
  return recognise::ContentsOf(path) == recognise::Contents::kPictures;
}

}  // namespace

std::optional<recognise::BytePixels> BytesOf(const convert::ConvertOptions& options) {
  const import::Description model = import::Describe(options.model);
  const import::DescribedPort *bytes = nullptr, *other = nullptr;
  size_t place = 0, bytes_place = 0;
  for (const import::DescribedPort& input : model.inputs) {
    const bool bound = options.import.bound.count(input.name) != 0;
    const size_t at = bound ? place : place++;
    bool channels_last = false;
    if (bound || !images::IsImageInput(ShapeOf(input, options.import), &channels_last)) continue;
    if (input.type == "int8" && ShowsPictures(options, at)) {
      const recognise::BytePixels real = FirstOf(options, at);
      Fail(
          "{}: input '{}' is int8, and the model does not say how bytes of pictures become its "
          "codes; give --scale {} --mean {} for byte - 128, or as in training",
          options.model, input.name, real.scale, real.mean + 128 * real.scale);
    }
    const bool integers = input.type.find("int") == 0 || input.type.find("uint") == 0;
    (integers ? bytes : other) = &input;
    if (integers) bytes_place = at;
  }
  if (bytes != nullptr && other != nullptr) {
    Fail(
        "{}: input '{}' is {} and takes bytes as they are, '{}' is {}; give --scale, which is that "
        "of both",
        options.model, bytes->name, bytes->type, other->name, other->type);
  }
  if (bytes == nullptr) return std::nullopt;
  return FirstOf(options, bytes_place);
}

std::vector<std::string> TakeBytes(bool pixels_given, convert::ConvertOptions* options) {
  if (pixels_given) return {};
  const std::optional<recognise::BytePixels> bytes = BytesOf(*options);
  if (!bytes) return {};
  return {recognise::TakeBytes(*bytes, &options->preprocess)};
}

}  // namespace octet::cli
