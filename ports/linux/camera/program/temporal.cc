#include "ports/linux/camera/program/temporal.h"

namespace octet::port {

CameraTemporal::CameraTemporal(const Model& model, const std::string& path)
    : session_(model.session()) {
  const void* blob = model.blob().base;
  const size_t blob_bytes = model.blob().header->file_bytes;
  octet_status status = octet_temporal_bytes(blob, blob_bytes, &memory_bytes_);
  if (status.code == OCTET_OK && memory_bytes_ == 0) {
    throw InputError("--temporal: " + path +
                     " has no temporal filters; convert the model with octet convert --temporal "
                     "(docs/temporal.md), or remove --temporal");
  }
  if (status.code == OCTET_OK) {
    memory_.reset(std::aligned_alloc(64, (memory_bytes_ + 63) / 64 * 64));
    if (memory_ == nullptr) {
      throw InputError("--temporal: no memory for " + std::to_string(memory_bytes_) +
                       " bytes of frames; remove --temporal");
    }
    status = octet_temporal_init(memory_.get(), memory_bytes_, blob, blob_bytes, &temporal_);
  }
  if (status.code != OCTET_OK) {
    throw InputError("--temporal: the temporal section of " + path + " is " +
                     octet_code_name(status.code) + "; convert the model again");
  }
}

void CameraTemporal::AfterRun(octet_session* session) {
  octet_temporal_apply(temporal_, session, octet_layer_count(session));
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
