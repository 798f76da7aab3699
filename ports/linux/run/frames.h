// The samples of a run: inputs from .npy files one by one, outputs to .npy files.
#ifndef OCTET_PORTS_LINUX_RUN_FRAMES_H_
#define OCTET_PORTS_LINUX_RUN_FRAMES_H_

#include <string>
#include <vector>

#include "ports/linux/model.h"
#include "ports/linux/npy.h"

namespace octet::port {

class Inputs {
 public:
  // One file for each model input, all with the same number of samples. Throws InputError.
  Inputs(const std::vector<std::string>& paths, const Model& model);
  uint64_t sample_count() const { return sample_count_; }
  void Set(octet_session* session, uint64_t sample) const;

 private:
  struct Source {
    NpyArray array;
    uint32_t height, width, channels;  // of pictures
    size_t sample_bytes;
    size_t element_count;  // of float samples
  };
  std::vector<Source> sources_;
  uint64_t sample_count_ = 0;
};

class Outputs {
 public:
  // path: "OUT.npy" for one output, OUT.0.npy, OUT.1.npy, ... for several; empty: nothing is
  // written.
  Outputs(const std::string& path, const Model& model, uint64_t sample_count);
  void Write(const octet_session* session);
  void Commit();

 private:
  std::vector<OutputFile> files_;
  std::vector<std::vector<float>> values_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_FRAMES_H_
