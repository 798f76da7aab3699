// octet-camera --temporal: the filters from frame to frame that a blob brings (octet/temporal.h).
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TEMPORAL_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TEMPORAL_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "octet/temporal.h"
#include "ports/linux/model.h"

namespace octet::port {

class CameraTemporal {
 public:
  // model: bound. Throws InputError where the blob has no filters, or none that can be used.
  // Nothing is allocated after this.
  CameraTemporal(const Model& model, const std::string& path);
  ~CameraTemporal() = default;
  CameraTemporal(const CameraTemporal&) = delete;
  CameraTemporal& operator=(const CameraTemporal&) = delete;

  // Within octet_run, and right after it: what the last layer wrote is filtered as well.
  void BeforeLayer(uint32_t layer) { octet_temporal_apply(temporal_, session_, layer); }
  void AfterRun(octet_session* session);

  uint32_t layers() const { return octet_temporal_count(temporal_); }
  // Tensors that began anew because a frame showed another scene, so far.
  uint64_t cuts() const;
  size_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  size_t memory_bytes_ = 0;
  octet_temporal* temporal_ = nullptr;
  octet_session* session_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TEMPORAL_H_
