// Where frames come from. A source runs on the capture thread; what it throws ends the stream with
// one line.
#ifndef OCTET_PORTS_LINUX_CAPTURE_SOURCE_H_
#define OCTET_PORTS_LINUX_CAPTURE_SOURCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ports/linux/capture/frame.h"
#include "ports/linux/capture/health.h"
#include "ports/linux/capture/stop.h"

namespace octet::port {

class Source {
 public:
  enum class Took { kFrame, kEnd, kStopped };

  virtual ~Source() = default;
  // Blocks until the next frame stands in `frame` (all but its number; captured_ns where the source
  // knows better than the caller). Throws InputError where the stream makes no sense any more.
  virtual Took Next(FrameBuffer* frame, const StopRequest& stop) = 0;
  // True: it can wait, so no frame is dropped (pictures of a folder).
  virtual bool waits() const { return false; }
  // One line about how the stream ended, where there is something to say.
  virtual std::string note() const { return {}; }
  // Null: it ends for good.
  virtual std::shared_ptr<const SourceHealth> health() const { return nullptr; }
};

struct StreamFormat {
  bool y4m = false;
  octet_pixel_format pixels = OCTET_PIXELS_RGB24;
  bool is_bgr = false;  // blue first where `pixels` says red
  uint32_t width = 0, height = 0;
  // Bytes from row to row, of the first plane and of the others; 0: rows are dense.
  uint32_t stride = 0, other_stride = 0;
};

// "rgb24", "nv12", ... with "WxH" and a stride as typed. Throws InputError.
StreamFormat ReadStreamFormat(const std::string& format, const std::string& size,
                              const std::string& stride = {});

// Frames one after another from a descriptor: raw, or YUV4MPEG2 (4:2:0 or mono, 8 bits). name: of
// the sender, in messages. wait: until there are bytes, or the stream has ended; kTimeout ends it.
using StreamWait = std::function<Waited(int descriptor, const StopRequest& stop)>;
std::unique_ptr<Source> OpenStream(int descriptor, const StreamFormat& format,
                                   const std::string& name, StreamWait wait);
// Of stdin, whose sender may pause for as long as it likes; a line says so.
std::unique_ptr<Source> OpenStream(int descriptor, const StreamFormat& format);
// Pictures of a folder (ports/linux/pictures says which, in which order), or one picture, once;
// with frames_per_second > 0 as a camera would deliver them. What cannot be read is left out with
// one line; where nothing can, the stream ends with an error.
std::unique_ptr<Source> OpenFolder(const std::string& path, double frames_per_second);

struct CameraWish {
  std::string format;              // nv12 yuv420p yuyv rgb24 grey8 mjpeg; empty: whichever it has
  uint32_t width = 0, height = 0;  // 0: its own
  double frames_per_second = 0;    // 0: as it is set
};

// A V4L2 camera, in what comes nearest to the wish; a line on stderr says what that is.
std::unique_ptr<Source> OpenV4l2(const std::string& device, const CameraWish& wish);

// Times of a steady pace from the first call on; a consumer that comes late finds the next one.
class Pace {
 public:
  explicit Pace(double frames_per_second);
  // False on a stop.
  bool Wait(const StopRequest& stop);

 private:
  uint64_t period_ns_, next_ns_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_SOURCE_H_
