// Text of MOTChallenge: a line a box, `frame,id,x,y,w,h,score,class,visible`, frames from 1,
// pixels.
#ifndef OCTET_PORTS_LINUX_TRACKS_MOT_H_
#define OCTET_PORTS_LINUX_TRACKS_MOT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "octet/track.h"
#include "ports/linux/output/output_file.h"

namespace octet::port {

// Boxes of each frame, frame 1 first, in the order of the file. A line has at least 7 numbers; a
// class that is absent or below 0 is 0. Throws InputError that names the line.
std::vector<std::vector<octet_box>> ReadMotBoxes(const std::string& path);

// Of a JSON object with `times`: seconds of each frame, rising. Throws InputError.
std::vector<uint64_t> ReadTimesUs(const std::string& path);

// Seen tracks as `frame,id,x,y,w,h,score,class,-1`.
class MotFile {
 public:
  explicit MotFile(const std::string& path) : file_(path) {}
  void Add(uint64_t frame, const std::vector<octet_track>& tracks);
  void Commit() { file_.Commit(); }

 private:
  OutputFile file_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_TRACKS_MOT_H_
