// The interface of a model for other programs: inputs, outputs, labels. Two models of one face can
// replace each other. Weights, plans, sizes of pictures and thresholds do not matter.
#ifndef OCTET_PORTS_LINUX_SLOT_MODEL_FACE_H_
#define OCTET_PORTS_LINUX_SLOT_MODEL_FACE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/format/blob.h"

namespace octet::port {

struct ModelFace {
  std::string product;  // its name, or ""
  std::string task;     // "detect", with key points and masks where it has any
  // "a picture", or the dims that floats come in.
  std::vector<std::string> inputs;
  // Dims of each, where nothing decodes them: then programs read them as they are.
  std::vector<std::string> outputs;
  std::vector<std::string> labels;  // in class order
};

// Of a blob that octet_validate has taken.
ModelFace FaceOf(const void* blob, size_t blob_bytes);

// "" or the first difference of all but the product, as "its task is classify, not detect".
std::string DifferenceOf(const ModelFace& runs, const ModelFace& next);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_MODEL_FACE_H_
