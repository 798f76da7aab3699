// What octet-run prints for each window of a sound: a line of JSON.
#ifndef OCTET_PORTS_LINUX_RUN_SOUND_LINES_H_
#define OCTET_PORTS_LINUX_RUN_SOUND_LINES_H_

#include <string>
#include <vector>

#include "ports/linux/run/sound.h"

namespace octet::port {

// {"window":0,"end_s":0.032,"outputs":{"NAME":[0.1,...]}}, and "missing":N before the outputs where
// the sound ends before the window does. What is not finite is null.
class SoundLines {
 public:
  explicit SoundLines(const Model& model);
  // To stdout, at once. Throws InputError where nobody reads.
  void Print(const Sound& sound, const std::vector<std::vector<float>>& values);

 private:
  std::vector<std::string> names_;  // as they stand in the line
  std::string line_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SOUND_LINES_H_
