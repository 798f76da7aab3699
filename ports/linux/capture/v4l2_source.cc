// A camera through V4L2 streaming with buffers mapped from the driver
// (https://docs.kernel.org/userspace-api/media/v4l/mmap.html).
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/source.h"
#include "ports/linux/capture/v4l2_buffer.h"
#include "ports/linux/file.h"
#include "ports/linux/model.h"

namespace octet::port {
namespace {

constexpr uint32_t kBufferCount = 4;  // a driver may insist on more
constexpr int kStallMs = 5000;
// A frame's own time that is older than this is of another clock.
constexpr uint64_t kOldestNs = 10000000000u;

// Best first: formats without a conversion, then formats that must be decoded.
struct Known {
  uint32_t fourcc;
  octet_pixel_format pixels;
  bool jpeg;
  const char* word;
};
constexpr Known kKnown[] = {
    {V4L2_PIX_FMT_NV12, OCTET_PIXELS_NV12, false, "nv12"},
    {V4L2_PIX_FMT_YUV420, OCTET_PIXELS_YUV420P, false, "yuv420p"},
    {V4L2_PIX_FMT_YUYV, OCTET_PIXELS_YUYV, false, "yuyv"},
    {V4L2_PIX_FMT_RGB24, OCTET_PIXELS_RGB24, false, "rgb24"},
    {V4L2_PIX_FMT_GREY, OCTET_PIXELS_GREY8, false, "grey8"},
    {V4L2_PIX_FMT_MJPEG, OCTET_PIXELS_RGB24, true, "mjpeg"},
    {V4L2_PIX_FMT_JPEG, OCTET_PIXELS_RGB24, true, "mjpeg"},
};

class V4l2Source : public Source {
 public:
  V4l2Source(const std::string& device, const CameraWish& wish)
      : device_(device), descriptor_(open(device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ < 0) Refuse("cannot be opened");
    try {
      Negotiate(wish);
      SetRate(wish.frames_per_second);
      Map();
      int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
      Must(VIDIOC_STREAMON, &type, "cannot start streaming");
    } catch (...) {
      Release();
      throw;
    }
    Introduce(wish);
  }

  ~V4l2Source() override {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    V4l2Control(descriptor_, VIDIOC_STREAMOFF, &type);
    Release();
  }

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    frame->passed_over = 0;
    for (;;) {
      const Waited waited = WaitReadable(descriptor_, stop, kStallMs);
      if (waited == Waited::kStopped) return Took::kStopped;
      if (waited == Waited::kTimeout) {
        if (!stalled_) {
          std::fprintf(stderr, "octet-camera: %s: no frame for 5 s; waiting; check its cable\n",
                       device_.c_str());
        }
        stalled_ = true;
        continue;
      }
      v4l2_buffer buffer = Buffer();
      if (!Dequeue(&buffer)) continue;
      if (stalled_) std::fprintf(stderr, "octet-camera: %s: frames are back\n", device_.c_str());
      stalled_ = false;
      // Others may have come while the last frame was decoded: takes the newest.
      v4l2_buffer newer = Buffer();
      for (size_t i = 1; i < buffers_.size() && Dequeue(&newer); ++i) {
        if (!Damaged(newer)) std::swap(buffer, newer);
        if (Damaged(newer)) ReportDamage();
        ++frame->passed_over;
        MustBuffer(VIDIOC_QBUF, &newer, "cannot return a buffer");
        newer = Buffer();
      }
      frame->captured_ns = TimeOf(buffer);
      const bool good = !Damaged(buffer) && Take(buffer, frame);
      MustBuffer(VIDIOC_QBUF, &buffer, "cannot return a buffer");
      if (good) return Took::kFrame;
      ++frame->passed_over;
      ReportDamage();
    }
  }

 private:
  static v4l2_buffer Buffer() {
    v4l2_buffer buffer = {};
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    return buffer;
  }

  bool Damaged(const v4l2_buffer& buffer) const {
    return (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0 || buffer.index >= buffers_.size();
  }

  // With errno's reason and, where there is one, the way round it.
  [[noreturn]] void Refuse(const char* what) const {
    const int error = errno;
    if (error == ENODEV) what = "the camera was disconnected";
    const std::string round = error == EBUSY ? "end the program that uses it: fuser -v " + device_
                              : error == EACCES ? "add this user to the group video"
                              : error == ENODEV
                                  ? "connect it again"
                                  : "octet-camera --check --source " + device_ + " examines it";
    throw InputError(device_ + ": " + what + ": " + ErrorText(error) + "; " + round);
  }

  void Must(unsigned long request, void* argument, const char* what) const {
    if (V4l2Control(descriptor_, request, argument) < 0) Refuse(what);
  }

  void MustBuffer(unsigned long request, v4l2_buffer* buffer, const char* what) {
    if (buffer_calls_.Call(descriptor_, request, buffer) < 0) Refuse(what);
  }

  // False where no frame waits.
  bool Dequeue(v4l2_buffer* buffer) {
    if (buffer_calls_.Call(descriptor_, VIDIOC_DQBUF, buffer) == 0) return true;
    if (errno != EAGAIN) Refuse("the camera stopped giving frames");
    return false;
  }

  // The time of the frame's last byte, from the driver if it gives it.
  uint64_t TimeOf(const v4l2_buffer& buffer) {
    const uint64_t now = NowNs();
    const uint64_t stamp = static_cast<uint64_t>(buffer.timestamp.tv_sec) * 1000000000u +
                           static_cast<uint64_t>(buffer.timestamp.tv_usec) * 1000u;
    const bool of_its_end =
        (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC &&
        (buffer.flags & V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == V4L2_BUF_FLAG_TSTAMP_SRC_EOF;
    const bool usable = of_its_end && stamp <= now && now - stamp < kOldestNs;
    captured_ns_ = std::max(captured_ns_, usable ? stamp : now);
    return captured_ns_;
  }

  // Of the formats wished for the first that the camera has at the wanted size; without that, the
  // first at a size near it.
  void Negotiate(const CameraWish& wish) {
    v4l2_capability capability = {};
    Must(VIDIOC_QUERYCAP, &capability, "is not a V4L2 camera");
    const uint32_t able = (capability.capabilities & V4L2_CAP_DEVICE_CAPS) != 0
                              ? capability.device_caps
                              : capability.capabilities;
    if ((able & V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0) {
      throw InputError(device_ +
                       ": captures into several planes, which is not supported; try gst-launch-1.0 "
                       "-q v4l2src ! ... ! fdsink with --source -");
    }
    if ((able & V4L2_CAP_VIDEO_CAPTURE) == 0 || (able & V4L2_CAP_STREAMING) == 0) {
      throw InputError(device_ + ": cannot capture by streaming; try another /dev/video*");
    }
    v4l2_format own = {};
    own.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    Must(VIDIOC_G_FMT, &own, "has no format");
    if (wish.width != 0) own.fmt.pix.width = wish.width, own.fmt.pix.height = wish.height;
    for (const bool exact : {true, false}) {
      for (const Known& known : kKnown) {
        if (!wish.format.empty() && wish.format != known.word) continue;
        v4l2_format format = own;
        format.fmt.pix.pixelformat = known.fourcc;
        format.fmt.pix.field = V4L2_FIELD_NONE;
        format.fmt.pix.bytesperline = format.fmt.pix.sizeimage = 0;
        if (V4l2Control(descriptor_, VIDIOC_TRY_FMT, &format) < 0 ||
            format.fmt.pix.pixelformat != known.fourcc ||
            FrameBytes(known.pixels, format.fmt.pix.width, format.fmt.pix.height) == 0) {
          continue;
        }
        if (exact && (format.fmt.pix.width != own.fmt.pix.width ||
                      format.fmt.pix.height != own.fmt.pix.height)) {
          continue;
        }
        Must(VIDIOC_S_FMT, &format, "cannot set its format");
        if (format.fmt.pix.pixelformat != known.fourcc) continue;
        known_ = known;
        width_ = format.fmt.pix.width;
        height_ = format.fmt.pix.height;
        line_bytes_ = format.fmt.pix.bytesperline;
        if (FrameBytes(known.pixels, width_, height_) != 0) return;
      }
    }
    throw InputError(device_ + ": offers " +
                     (wish.format.empty() ? "none of NV12, YUV420, YUYV, RGB24, GREY and MJPEG; "
                                            "convert it with ffmpeg or gst-launch-1.0 | --source -"
                                          : "no " + wish.format + "; remove --format"));
  }

  // A driver that cannot set the rate keeps its own.
  void SetRate(double frames_per_second) {
    if (!(frames_per_second > 0)) return;
    v4l2_streamparm parameters = {};
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    parameters.parm.capture.timeperframe.numerator = 1000;
    parameters.parm.capture.timeperframe.denominator =
        static_cast<uint32_t>(std::min(frames_per_second, 1e6) * 1000);
    V4l2Control(descriptor_, VIDIOC_S_PARM, &parameters);
  }

  void Map() {
    v4l2_requestbuffers request = {};
    request.count = kBufferCount;
    request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    request.memory = V4L2_MEMORY_MMAP;
    Must(VIDIOC_REQBUFS, &request, "has no buffers to map");
    if (request.count == 0)
      throw InputError(device_ + ": gives no buffers; try another /dev/video*");
    for (uint32_t i = 0; i < request.count; ++i) {
      v4l2_buffer buffer = Buffer();
      buffer.index = i;
      MustBuffer(VIDIOC_QUERYBUF, &buffer, "cannot describe a buffer");
      void* data = mmap(nullptr, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                        static_cast<off_t>(buffer.m.offset));
      if (data == MAP_FAILED) Refuse("cannot map a buffer");
      buffers_.push_back({static_cast<uint8_t*>(data), buffer.length});
      MustBuffer(VIDIOC_QBUF, &buffer, "cannot queue a buffer");
    }
  }

  // The format in use, which may differ from the requested one.
  void Introduce(const CameraWish& wish) const {
    char rate[48] = "", size[48] = "";
    v4l2_streamparm parameters = {};
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    const v4l2_fract& period = parameters.parm.capture.timeperframe;
    if (V4l2Control(descriptor_, VIDIOC_G_PARM, &parameters) == 0 && period.numerator != 0) {
      std::snprintf(rate, sizeof(rate), ", %.4g frames/s",
                    static_cast<double>(period.denominator) / period.numerator);
    }
    if (wish.width != 0 && (wish.width != width_ || wish.height != height_)) {
      std::snprintf(size, sizeof(size), "; the camera has no %ux%u", wish.width, wish.height);
    }
    std::fprintf(stderr, "octet-camera: %s: %s %ux%u%s%s\n", device_.c_str(), known_.word, width_,
                 height_, rate, size);
  }

  // The driver's rows may be longer than the frame's. False where the buffer holds too little.
  bool Take(const v4l2_buffer& buffer, FrameBuffer* frame) {
    const Mapping& mapping = buffers_[buffer.index];
    const size_t used = std::min<size_t>(buffer.bytesused, mapping.bytes);
    if (known_.jpeg) return decoder_.Decode(mapping.data, used, frame);
    frame->Resize(known_.pixels, width_, height_);
    const octet_frame view = frame->View();
    size_t offset = 0;
    for (uint32_t plane = 0; plane < 3 && view.planes[plane] != nullptr; ++plane) {
      const size_t row = view.strides[plane];
      // Planes behind the first have rows of the same share of the line as of the frame.
      const size_t line = line_bytes_ == 0 ? row : row * line_bytes_ / view.strides[0];
      const size_t rows = plane == 0 ? height_ : (height_ + 1) / 2;
      if (line < row || offset + (rows - 1) * line + row > used) return false;
      uint8_t* to = frame->Plane(plane);
      for (size_t y = 0; y < rows; ++y) {
        std::memcpy(to + y * row, mapping.data + offset + y * line, row);
      }
      offset += rows * line;
    }
    return true;
  }

  void ReportDamage() {
    if (++damaged_ == 1) {
      std::fprintf(
          stderr,
          "octet-camera: %s: a damaged frame was skipped (reported once); check its cable\n",
          device_.c_str());
    }
  }

  void Release() {
    for (const Mapping& mapping : buffers_) munmap(mapping.data, mapping.bytes);
    close(descriptor_);
  }

  struct Mapping {
    uint8_t* data;
    size_t bytes;
  };

  std::string device_;
  int descriptor_;
  V4l2BufferCalls buffer_calls_;
  std::vector<Mapping> buffers_;
  Known known_ = kKnown[0];
  bool stalled_ = false;
  uint32_t width_ = 0, height_ = 0, line_bytes_ = 0;
  uint64_t damaged_ = 0, captured_ns_ = 0;
  PictureDecoder decoder_;
};

}  // namespace

std::unique_ptr<Source> OpenV4l2(const std::string& device, const CameraWish& wish) {
  return std::make_unique<V4l2Source>(device, wish);
}

}  // namespace octet::port
