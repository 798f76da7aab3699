// Sound for a model of one float input: a WAV file, or 16-bit samples from stdin as they come.
#ifndef OCTET_PORTS_LINUX_RUN_SOUND_H_
#define OCTET_PORTS_LINUX_RUN_SOUND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "ports/linux/run/wav.h"

namespace octet::port {

struct SoundOptions {
  uint32_t rate = 0;  // samples a second; 0: the file's, and 16,000 of stdin
  uint32_t hop = 0;   // samples from window to window; 0: a window
};

// "-", a .wav file, or a file whose name says that it is a sound in another format.
bool IsSound(const std::string& path);

// The window is the model's input: all of its numbers, the latest sample last, as parts of 1
// (int16 / 32768). Window k ends with sample (k + 1) * hop; samples before the first are 0, and so
// are those that the last window lacks.
class Sound {
 public:
  // Throws InputError: no model of one float input, a file of another format or rate.
  Sound(const std::string& path, const Model& model, const SoundOptions& options);
  // Of a file. Nullopt: nobody knows.
  std::optional<uint64_t> window_count() const;
  // The next window; false: there is none. Throws InputError where stdin cannot be read.
  bool Next();
  // Into the session. Throws InputError.
  void Set(octet_session* session) const;

  uint64_t window() const { return next_ - 1; }
  double end_s() const;                          // of the window
  uint32_t missing() const { return missing_; }  // samples that the last window lacks

 private:
  // At most `count`, fewer at the end.
  size_t Read(size_t count);

  std::string path_;
  std::optional<MappedFile> file_;  // else stdin
  Wav wav_;
  uint32_t rate_, hop_, missing_ = 0;
  uint64_t next_ = 0, read_ = 0;  // windows, samples of the file
  bool ended_ = false;
  std::vector<uint8_t> bytes_;  // of one hop
  std::vector<float> values_;   // the window
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SOUND_H_
