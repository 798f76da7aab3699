// Lines built in one buffer that is kept, so that printing a frame allocates nothing.
#ifndef OCTET_PORTS_LINUX_RESULTS_TEXT_H_
#define OCTET_PORTS_LINUX_RESULTS_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/linux/results/results.h"

namespace octet::port {

// Room for all a frame may hold: a thousand boxes.
constexpr size_t kLineBytes = size_t{1} << 17;

// Key points below this score are not shown.
constexpr float kSeenPoint = 0.5f;

class Line {
 public:
  explicit Line(size_t capacity) : text_(capacity) {}

  void Reserve(size_t capacity) { text_.resize(std::max(text_.size(), capacity)); }
  void Clear() { length_ = 0; }
  // printf; what does not fit is cut off.
  void Add(const char* format, ...) __attribute__((format(printf, 2, 3)));
  // A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
  // What others named: without control characters.
  void AddPlain(const char* text);
  void AddJsonString(const char* text);
  const char* data() const { return text_.data(); }
  size_t length() const { return length_; }
  // To a descriptor, whole. False where the reader has gone.
  [[nodiscard]] bool WriteTo(int descriptor) const;

 private:
  std::vector<char> text_;
  size_t length_ = 0;
};

// One frame's outcome.
struct FrameReport {
  uint64_t number;  // in the stream
  double time_s;    // since 1970, of the capture
  double age_ms;    // from the capture until the result stood
  double infer_ms;  // preprocessing, network and decoding
  const char* plan;
  uint64_t dropped;         // frames so far that newer ones replaced
  const char* picture;      // the file's name, where the frame is one; else ""
  const char* camera = "";  // of a list; else ""
};

// The begin of an object: of a camera in a list its name.
void BeginJson(const char* camera, Line* line);

// One JSON object and a newline. fields: what else there is to say, as ,"name":value.
void FormatJson(const FrameReport& report, const Line& fields, const Results& results,
                const octet_session* session, Line* line);
// Its part that says what was found: ,"detections":[...] or classes, segments or text, by the task.
void FormatJsonResults(const Results& results, const octet_session* session, Line* line);
// "cat 0.91 [12 30 80 99], ..." for people, the box only where wanted, with the pixels of its mask
// and its key points ("-": not seen) behind it; appended.
void FormatResults(const Results& results, const octet_session* session, bool boxes, Line* line);

// A picture's line: its name, the time, what was found; appended.
void FormatPicture(const char* name, double ms, const Results& results,
                   const octet_session* session, Line* line);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RESULTS_TEXT_H_
