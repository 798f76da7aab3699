#include "ports/linux/camera/program/temporal/temporal.h"

namespace octet::port {

CameraTemporal::CameraTemporal(const Model& model, const std::string& path) {
  const void* blob = model.blob().base;
  const size_t blob_bytes = model.blob().header->file_bytes;
  octet_status status = octet_temporal_bytes(blob, blob_bytes, &memory_bytes_);
  if (status.code == OCTET_OK && memory_bytes_ == 0) {
    throw InputError("--temporal: " + path +
                     " has no temporal filters; convert the model with octet convert --temporal "
                     "(docs/temporal.md), or remove --temporal");
  }
  if (status.code == OCTET_OK) status = octet_temporal_bound(model.session(), &temporal_);
  if (status.code != OCTET_OK) {
    throw InputError("--temporal: the temporal section of " + path + " is " +
                     octet_code_name(status.code) + "; convert the model again");
  }
  // In a session each has room for a frame more.
  for (uint32_t i = 0; i < layers(); ++i) {
    octet_temporal_layer layer;
    octet_temporal_info(temporal_, i, &layer);
    memory_bytes_ += (layer.tensor_bytes + 63) / 64 * 64;
  }
}

uint64_t CameraTemporal::cuts() const {
  uint64_t cuts = 0;
  for (uint32_t i = 0; i < layers(); ++i) {
    octet_temporal_layer layer;
    octet_temporal_info(temporal_, i, &layer);
    cuts += layer.cuts;
  }
  return cuts;
}

}  // namespace octet::port
