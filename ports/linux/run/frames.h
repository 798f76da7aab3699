// The samples of a run: inputs from .npy files or pictures one by one, outputs to .npy files.
#ifndef OCTET_PORTS_LINUX_RUN_FRAMES_H_
#define OCTET_PORTS_LINUX_RUN_FRAMES_H_

#include <optional>
#include <string>
#include <vector>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/npy.h"
#include "ports/linux/model.h"
#include "ports/linux/output/output_file.h"
#include "ports/linux/pictures/npy_header.h"

namespace octet::port {

class Inputs {
 public:
  // Of every model input a .npy file, a folder of pictures or a picture, all with the same number
  // of samples; where the model has one input, any number of pictures and folders. Throws
  // InputError.
  Inputs(const std::vector<std::string>& paths, const Model& model);
  uint64_t sample_count() const { return sample_count_; }
  // True: the samples are picture files.
  bool of_pictures() const;
  // Reads the sample. Throws InputError.
  void Load(uint64_t sample);
  // The sample that was loaded last, into the session.
  void Set(octet_session* session) const;
  // Of an input's loaded picture.
  const FrameBuffer& frame(uint32_t input) const { return sources_[input].frame; }

 private:
  struct Source {
    std::optional<NpyArray> array;
    std::vector<std::string> pictures;  // where there is no array
    FrameBuffer frame;                  // the picture loaded
    pictures::PicturesOfArray layout;   // of a uint8 array
    std::vector<uint8_t> interleaved;   // its sample loaded, where it is planar
    std::vector<float> values;          // the sample loaded of a float array
    uint64_t sample_count = 0;
  };
  static Source ArraySource(const std::string& path, const BlobView& blob, uint32_t input);
  static Source PictureSource(const std::vector<std::string>& paths, const BlobView& blob,
                              uint32_t input);

  static void LoadArray(uint64_t sample, Source* source);

  std::vector<Source> sources_;
  PictureDecoder decoder_;
  uint64_t sample_count_ = 0, loaded_ = 0;
};

class Outputs {
 public:
  // path: "OUT.npy" for one output, OUT.0.npy, OUT.1.npy, ... for several; empty: nothing is
  // written.
  Outputs(const std::string& path, const Model& model, uint64_t sample_count);
  void Write(const octet_session* session);
  void Commit();
  // Of the run that was written last.
  const std::vector<std::vector<float>>& values() const { return values_; }

 private:
  std::vector<OutputFile> files_;
  std::vector<std::vector<float>> values_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_FRAMES_H_
