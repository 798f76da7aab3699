// Buffers of a camera on kernels that know other structs than this program.
#include "ports/linux/capture/v4l2_buffer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace octet::port {
namespace {

struct Kernel {
  bool knows_new, knows_old;
  std::vector<unsigned long> asked;
  int failure = 0;  // of a call that it knows
};
Kernel* kernel = nullptr;

int Answer(int descriptor, unsigned long request, void* argument) {
  kernel->asked.push_back(request);
  EXPECT_EQ(descriptor, 7);
  const bool is_old = _IOC_SIZE(request) == sizeof(OldV4l2Buffer);
  if (!(is_old ? kernel->knows_old : kernel->knows_new)) return errno = ENOTTY, -1;
  if (kernel->failure != 0) return errno = kernel->failure, -1;
  if (is_old) {
    auto* buffer = static_cast<OldV4l2Buffer*>(argument);
    EXPECT_EQ(buffer->index, 2u);
    EXPECT_EQ(buffer->type, uint32_t{V4L2_BUF_TYPE_VIDEO_CAPTURE});
    EXPECT_EQ(buffer->memory, uint32_t{V4L2_MEMORY_MMAP});
    buffer->offset = 0xFFFFF000u;
    buffer->length = 614400;
    buffer->bytesused = 614399;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->sequence = 9;
    buffer->seconds = 1234567;
    buffer->microseconds = 999999;
  } else {
    auto* buffer = static_cast<v4l2_buffer*>(argument);
    buffer->length = 5;
    buffer->timestamp.tv_sec = 1;
  }
  return 0;
}

v4l2_buffer Wanted() {
  v4l2_buffer buffer = {};
  buffer.index = 2;
  buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  buffer.memory = V4L2_MEMORY_MMAP;
  return buffer;
}

TEST(V4l2Buffer, AKernelThatKnowsTheStructGetsIt) {
  Kernel now{true, true, {}};
  kernel = &now;
  V4l2BufferCalls calls(true, Answer);
  v4l2_buffer buffer = Wanted();
  EXPECT_EQ(calls.Call(7, VIDIOC_QUERYBUF, &buffer), 0);
  EXPECT_EQ(buffer.length, 5u);
  EXPECT_EQ(now.asked, std::vector<unsigned long>{VIDIOC_QUERYBUF});
}

TEST(V4l2Buffer, AnOldKernelGetsItsOwn) {
  Kernel old{false, true, {}};
  kernel = &old;
  V4l2BufferCalls calls(true, Answer);
  for (const unsigned long request : {VIDIOC_QUERYBUF, VIDIOC_QBUF, VIDIOC_DQBUF}) {
    v4l2_buffer buffer = Wanted();
    EXPECT_EQ(calls.Call(7, request, &buffer), 0);
    EXPECT_EQ(buffer.index, 2u);
    EXPECT_EQ(buffer.m.offset, 0xFFFFF000u);
    EXPECT_EQ(buffer.length, 614400u);
    EXPECT_EQ(buffer.bytesused, 614399u);
    EXPECT_EQ(buffer.flags, uint32_t{V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC});
    EXPECT_EQ(buffer.sequence, 9u);
    EXPECT_EQ(buffer.timestamp.tv_sec, 1234567);
    EXPECT_EQ(buffer.timestamp.tv_usec, 999999);
  }
  // Asked once for what it does not know; the numbers are those of its headers.
  EXPECT_EQ(old.asked,
            (std::vector<unsigned long>{VIDIOC_QUERYBUF, 0xC0445609u, 0xC044560Fu, 0xC0445611u}));
}

// EAGAIN of no frame, ENODEV of a camera that went.
TEST(V4l2Buffer, OtherFailuresAreTheCallers) {
  for (const int failure : {EAGAIN, ENODEV}) {
    Kernel now{true, true, {}, failure};
    kernel = &now;
    v4l2_buffer buffer = Wanted();
    V4l2BufferCalls calls(true, Answer);
    EXPECT_EQ(calls.Call(7, VIDIOC_DQBUF, &buffer), -1);
    EXPECT_EQ(errno, failure);
    EXPECT_EQ(now.asked.size(), 1u);
    Kernel old{false, true, {}, failure};
    kernel = &old;
    EXPECT_EQ(calls.Call(7, VIDIOC_DQBUF, &buffer), -1);
    EXPECT_EQ(errno, failure);
  }
}

// Nothing else is a camera: no second question.
TEST(V4l2Buffer, WhereTimeHasItsOldSizeThereIsOneStruct) {
  Kernel none{false, true, {}};
  kernel = &none;
  v4l2_buffer buffer = Wanted();
  EXPECT_EQ(V4l2BufferCalls(false, Answer).Call(7, VIDIOC_DQBUF, &buffer), -1);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(none.asked.size(), 1u);
  EXPECT_EQ(V4l2BufferCalls(sizeof(time_t) > sizeof(long), Answer).Call(7, VIDIOC_DQBUF, &buffer),
            sizeof(time_t) > sizeof(long) ? 0 : -1);
}

}  // namespace
}  // namespace octet::port
