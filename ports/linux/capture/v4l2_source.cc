// A camera through V4L2 streaming with buffers mapped from the driver
// (https://docs.kernel.org/userspace-api/media/v4l/mmap.html).
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/source.h"
#include "ports/linux/file.h"

namespace octet::port {
namespace {

constexpr uint32_t kBufferCount = 4;
constexpr int kStallMs = 5000;

// Best first: what needs no conversion, then what needs decoding.
struct Known {
  uint32_t fourcc;
  octet_pixel_format pixels;
  bool jpeg;
};
constexpr Known kKnown[] = {
    {V4L2_PIX_FMT_NV12, OCTET_PIXELS_NV12, false},
    {V4L2_PIX_FMT_YUV420, OCTET_PIXELS_YUV420P, false},
    {V4L2_PIX_FMT_YUYV, OCTET_PIXELS_YUYV, false},
    {V4L2_PIX_FMT_RGB24, OCTET_PIXELS_RGB24, false},
    {V4L2_PIX_FMT_GREY, OCTET_PIXELS_GREY8, false},
    {V4L2_PIX_FMT_MJPEG, OCTET_PIXELS_RGB24, true},
    {V4L2_PIX_FMT_JPEG, OCTET_PIXELS_RGB24, true},
};

int Control(int descriptor, unsigned long request, void* argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

class V4l2Source : public Source {
 public:
  V4l2Source(const std::string& device, uint32_t width, uint32_t height, double frames_per_second)
      : device_(device), descriptor_(open(device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ < 0) throw InputError(device + ": " + std::strerror(errno));
    try {
      Negotiate(width, height);
      SetRate(frames_per_second);
      Map();
      int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
      Must(VIDIOC_STREAMON, &type, "cannot start streaming");
    } catch (...) {
      Release();
      throw;
    }
  }

  ~V4l2Source() override {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    Control(descriptor_, VIDIOC_STREAMOFF, &type);
    Release();
  }

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    for (;;) {
      const Waited waited = WaitReadable(descriptor_, stop, kStallMs);
      if (waited == Waited::kStopped) return Took::kStopped;
      if (waited == Waited::kTimeout) {
        if (!stalled_) {
          std::fprintf(stderr, "octet-camera: %s: no frame for 5 s; waiting\n", device_.c_str());
        }
        stalled_ = true;
        continue;
      }
      v4l2_buffer buffer = Buffer();
      if (Control(descriptor_, VIDIOC_DQBUF, &buffer) < 0) {
        if (errno == EAGAIN) continue;
        if (errno == ENODEV || errno == EIO) {
          note_ = device_ + ": " + std::strerror(errno);
          return Took::kEnd;
        }
        throw InputError(device_ + ": " + std::strerror(errno));
      }
      if (stalled_) std::fprintf(stderr, "octet-camera: %s: frames again\n", device_.c_str());
      stalled_ = false;
      const bool good = (buffer.flags & V4L2_BUF_FLAG_ERROR) == 0 && buffer.index < kBufferCount &&
                        Take(buffer, frame);
      Must(VIDIOC_QBUF, &buffer, "cannot give a buffer back");
      if (good) return Took::kFrame;
      ReportDamage();
    }
  }

  std::string note() const override { return note_; }

 private:
  static v4l2_buffer Buffer() {
    v4l2_buffer buffer = {};
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    return buffer;
  }

  void Must(unsigned long request, void* argument, const char* what) {
    if (Control(descriptor_, request, argument) < 0) {
      throw InputError(device_ + ": " + what + ": " + std::strerror(errno));
    }
  }

  void Negotiate(uint32_t width, uint32_t height) {
    v4l2_capability capability = {};
    Must(VIDIOC_QUERYCAP, &capability, "is no V4L2 camera");
    const uint32_t able = (capability.capabilities & V4L2_CAP_DEVICE_CAPS) != 0
                              ? capability.device_caps
                              : capability.capabilities;
    if ((able & V4L2_CAP_VIDEO_CAPTURE) == 0 || (able & V4L2_CAP_STREAMING) == 0) {
      throw InputError(device_ + ": cannot capture by streaming; try another /dev/video*");
    }
    v4l2_format format = {};
    format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    Must(VIDIOC_G_FMT, &format, "has no format");
    if (width != 0) format.fmt.pix.width = width, format.fmt.pix.height = height;
    const v4l2_format wanted = format;
    for (const Known& known : kKnown) {
      format = wanted;
      format.fmt.pix.pixelformat = known.fourcc;
      format.fmt.pix.field = V4L2_FIELD_NONE;
      format.fmt.pix.bytesperline = 0;
      if (Control(descriptor_, VIDIOC_S_FMT, &format) == 0 &&
          format.fmt.pix.pixelformat == known.fourcc) {
        pixels_ = known.pixels;
        jpeg_ = known.jpeg;
        width_ = format.fmt.pix.width;
        height_ = format.fmt.pix.height;
        line_bytes_ = format.fmt.pix.bytesperline;
        if (FrameBytes(pixels_, width_, height_) == 0) break;
        return;
      }
    }
    throw InputError(device_ + ": offers none of NV12, YUV420, YUYV, RGB24, GREY and MJPEG");
  }

  // Drivers that cannot set it keep their own rate.
  void SetRate(double frames_per_second) {
    if (!(frames_per_second > 0)) return;
    v4l2_streamparm parameters = {};
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    parameters.parm.capture.timeperframe.numerator = 1000;
    parameters.parm.capture.timeperframe.denominator =
        static_cast<uint32_t>(frames_per_second * 1000);
    Control(descriptor_, VIDIOC_S_PARM, &parameters);
  }

  void Map() {
    v4l2_requestbuffers request = {};
    request.count = kBufferCount;
    request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    request.memory = V4L2_MEMORY_MMAP;
    Must(VIDIOC_REQBUFS, &request, "has no buffers to map");
    const uint32_t count = std::min(request.count, kBufferCount);
    if (count == 0) throw InputError(device_ + ": gives no buffers");
    for (uint32_t i = 0; i < count; ++i) {
      v4l2_buffer buffer = Buffer();
      buffer.index = i;
      Must(VIDIOC_QUERYBUF, &buffer, "cannot describe a buffer");
      void* data = mmap(nullptr, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                        static_cast<off_t>(buffer.m.offset));
      if (data == MAP_FAILED) throw InputError(device_ + ": cannot map a buffer");
      buffers_[i] = {static_cast<uint8_t*>(data), buffer.length};
      Must(VIDIOC_QBUF, &buffer, "cannot queue a buffer");
    }
  }

  // The driver's rows may be longer than the frame's. False where the buffer holds too little.
  bool Take(const v4l2_buffer& buffer, FrameBuffer* frame) {
    const Mapping& mapping = buffers_[buffer.index];
    const size_t used = std::min<size_t>(buffer.bytesused, mapping.bytes);
    if (mapping.data == nullptr) return false;
    if (jpeg_) return decoder_.Decode(mapping.data, used, frame);
    frame->Resize(pixels_, width_, height_);
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
      std::fprintf(stderr, "octet-camera: %s: a damaged frame left out (said once)\n",
                   device_.c_str());
    }
  }

  void Release() {
    for (Mapping& mapping : buffers_) {
      if (mapping.data != nullptr) munmap(mapping.data, mapping.bytes);
    }
    if (descriptor_ >= 0) close(descriptor_);
  }

  struct Mapping {
    uint8_t* data = nullptr;
    size_t bytes = 0;
  };

  std::string device_, note_;
  int descriptor_;
  Mapping buffers_[kBufferCount];
  octet_pixel_format pixels_ = OCTET_PIXELS_NV12;
  bool jpeg_ = false, stalled_ = false;
  uint32_t width_ = 0, height_ = 0, line_bytes_ = 0;
  uint64_t damaged_ = 0;
  PictureDecoder decoder_;
};

}  // namespace

std::unique_ptr<Source> OpenV4l2(const std::string& device, uint32_t width, uint32_t height,
                                 double frames_per_second) {
  return std::make_unique<V4l2Source>(device, width, height, frames_per_second);
}

}  // namespace octet::port
