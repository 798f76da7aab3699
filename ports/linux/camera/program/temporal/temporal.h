// octet-camera --temporal: the filters from frame to frame that a blob brings (octet/temporal.h).
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TEMPORAL_TEMPORAL_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TEMPORAL_TEMPORAL_H_

#include <cstdint>
#include <string>

#include "octet/temporal.h"
#include "ports/linux/model.h"

namespace octet::port {

class CameraTemporal {
 public:
  // model: bound with OCTET_WITH_TEMPORAL. Throws InputError where the blob has no filters, or none
  // that can be used. Nothing is allocated after this.
  CameraTemporal(const Model& model, const std::string& path);
  ~CameraTemporal() = default;
  CameraTemporal(const CameraTemporal&) = delete;
  CameraTemporal& operator=(const CameraTemporal&) = delete;

  uint32_t layers() const { return octet_temporal_count(temporal_); }
  // How often a tensor began again because a frame showed another scene.
  uint64_t cuts() const;
  size_t memory_bytes() const { return memory_bytes_; }

 private:
  size_t memory_bytes_ = 0;
  octet_temporal* temporal_ = nullptr;  // of the session
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TEMPORAL_TEMPORAL_H_
