// The three V4L2 calls that hand a buffer over: VIDIOC_QUERYBUF, VIDIOC_QBUF and VIDIOC_DQBUF. A
// 32-bit program with 64-bit time_t gives them another struct, which kernels before 5.6 do not
// know: those get the one they know (v4l2_buffer of 68 bytes, with 32-bit seconds).
#ifndef OCTET_PORTS_LINUX_CAPTURE_V4L2_BUFFER_H_
#define OCTET_PORTS_LINUX_CAPTURE_V4L2_BUFFER_H_

#include <linux/videodev2.h>
#include <time.h>

#include <cstdint>

namespace octet::port {

// ioctl, again where a signal interrupts it.
int V4l2Control(int descriptor, unsigned long request, void* argument);

// As a 32-bit kernel before 5.6 lays v4l2_buffer out.
struct OldV4l2Buffer {
  uint32_t index, type, bytesused, flags, field;
  int32_t seconds, microseconds;
  v4l2_timecode timecode;
  uint32_t sequence, memory;
  uint32_t offset;  // of buffers that the driver maps (V4L2_MEMORY_MMAP)
  uint32_t length, reserved2, request;
};
static_assert(sizeof(OldV4l2Buffer) == 68, "the size is part of the call's number");

// The number that such a kernel knows the call by.
unsigned long OldV4l2Request(unsigned long request);

class V4l2BufferCalls {
 public:
  using Control = int (*)(int descriptor, unsigned long request, void* argument);
  // may_be_old: a kernel may not know this program's struct. control: V4l2Control, or a test's.
  explicit V4l2BufferCalls(bool may_be_old = sizeof(time_t) > sizeof(long),
                           Control control = V4l2Control)
      : may_be_old_(may_be_old), control_(control) {}

  // As ioctl. The kernel says ENOTTY once; from then on it gets what it knows.
  int Call(int descriptor, unsigned long request, v4l2_buffer* buffer);

 private:
  bool may_be_old_, is_old_ = false;
  Control control_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_V4L2_BUFFER_H_
