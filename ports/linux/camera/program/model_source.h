// Which model runs: a file, or what a feature says (Feature::make_models).
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_MODEL_SOURCE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_MODEL_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ports/linux/camera/program/options.h"

namespace octet::port {

class Observer;
struct Shared;

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  // What it has to see of the loop's work; null: nothing.
  virtual Observer* observer() { return nullptr; }
  // The options are these from now on.
  virtual void Reload(const CameraOptions&) {}
  // What is to be loaded. Before the first frame only where it costs nothing: WaitsForFrame.
  virtual bool WaitsForFrame() { return false; }
  virtual void Choose() {}
  virtual const std::string& Path() const = 0;
  // 32 bytes of the header (blob::Header::sha256), where they are known; null: any model will do.
  virtual const uint8_t* Digest() const { return nullptr; }
  // The summary says how often the model changed, also where it never did.
  virtual bool Changes() const { return true; }
  // Between two frames; never waits. True: Path is another one.
  virtual bool Follow(uint64_t) { return false; }
  // Path could not be loaded. True: it is another one now.
  virtual bool Failed(const std::string&) { return false; }
};

// The file that MODEL names.
std::unique_ptr<ModelSource> ModelOfFile(const CameraOptions& options);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_MODEL_SOURCE_H_
