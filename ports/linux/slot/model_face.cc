#include "ports/linux/slot/model_face.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/format/decode.h"
#include "runtime/format/product.h"
#include "runtime/format/tasks.h"
#include "runtime/format/view.h"

namespace octet::port {

namespace {

std::string DimsText(const uint32_t* dims, uint32_t rank) {
  std::string text = "[";
  for (uint32_t i = 0; i < rank; ++i) text += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  return text + "]";
}

// Pictures are fitted to the model, whatever its size and channels.
std::string InputText(const blob::InputRecord& input) {
  return input.is_image != 0 ? "a picture" : "floats " + DimsText(input.dims, input.rank);
}

std::string TaskText(const BlobView& view) {
  std::string text = TaskWord(view.model->task);
  if (view.decode.data == nullptr) return text;
  const auto& decode = *reinterpret_cast<const blob::DecodeRecord*>(view.decode.data);
  if (decode.point_count != 0)
    text += " with " + std::to_string(decode.point_count) + " key points";
  if (decode.mask_count != 0) text += " with masks";
  return text;
}

// "" or what of the lists differs first; `what`: "input", "label".
std::string FirstOf(const std::string& what, const std::vector<std::string>& runs,
                    const std::vector<std::string>& next) {
  if (runs.size() != next.size()) {
    return "it has " + std::to_string(next.size()) + " " + what + "s, not " +
           std::to_string(runs.size());
  }
  const auto [one, other] = std::mismatch(next.begin(), next.end(), runs.begin());
  if (one == next.end()) return "";
  return "its " + what + " " + std::to_string(one - next.begin()) + " is " + *one + ", not " +
         *other;
}

}  // namespace

ModelFace FaceOf(const void* blob, size_t blob_bytes) {
  ModelFace face;
  BlobView view = {};
  if (!IsOk(ViewBlob(blob, blob_bytes, &view))) return face;
  const Bytes product = blob::ProductOf(view);
  if (product.bytes != 0) face.product.assign(product.data, product.data + product.bytes);
  face.task = TaskText(view);
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    face.inputs.push_back(InputText(view.inputs[i]));
  }
  for (uint32_t i = 0; view.decode.data == nullptr && i < view.model->output_count; ++i) {
    face.outputs.push_back(DimsText(view.outputs[i].dims, view.outputs[i].rank));
  }
  const auto* label = reinterpret_cast<const char*>(view.labels.data);
  for (uint32_t i = 0; i < view.model->label_count; ++i) {
    face.labels.emplace_back(label);
    label += face.labels.back().size() + 1;
  }
  return face;
}

std::string DifferenceOf(const ModelFace& runs, const ModelFace& next) {
  if (runs.task != next.task) return "its task is " + next.task + ", not " + runs.task;
  std::string difference = FirstOf("input", runs.inputs, next.inputs);
  if (difference.empty()) difference = FirstOf("output", runs.outputs, next.outputs);
  if (difference.empty()) difference = FirstOf("label", runs.labels, next.labels);
  return difference;
}

}  // namespace octet::port
