#include "ports/linux/capture/v4l2_buffer.h"

#include <sys/ioctl.h>

#include <cerrno>

namespace octet::port {
namespace {

OldV4l2Buffer OldOf(const v4l2_buffer& buffer) {
  OldV4l2Buffer old = {};
  old.index = buffer.index;
  old.type = buffer.type;
  old.bytesused = buffer.bytesused;
  old.flags = buffer.flags;
  old.field = buffer.field;
  old.seconds = static_cast<int32_t>(buffer.timestamp.tv_sec);
  old.microseconds = static_cast<int32_t>(buffer.timestamp.tv_usec);
  old.timecode = buffer.timecode;
  old.sequence = buffer.sequence;
  old.memory = buffer.memory;
  old.offset = buffer.m.offset;
  old.length = buffer.length;
  return old;
}

void TakeOver(const OldV4l2Buffer& old, v4l2_buffer* buffer) {
  buffer->index = old.index;
  buffer->type = old.type;
  buffer->bytesused = old.bytesused;
  buffer->flags = old.flags;
  buffer->field = old.field;
  buffer->timestamp.tv_sec = old.seconds;
  buffer->timestamp.tv_usec = old.microseconds;
  buffer->timecode = old.timecode;
  buffer->sequence = old.sequence;
  buffer->memory = old.memory;
  buffer->m.offset = old.offset;
  buffer->length = old.length;
}

}  // namespace

int V4l2Control(int descriptor, unsigned long request, void* argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

unsigned long OldV4l2Request(unsigned long request) {
  return _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), sizeof(OldV4l2Buffer));
}

int V4l2BufferCalls::Call(int descriptor, unsigned long request, v4l2_buffer* buffer) {
  if (!is_old_) {
    const int result = control_(descriptor, request, buffer);
    if (result >= 0 || errno != ENOTTY || !may_be_old_) return result;
  }
  OldV4l2Buffer old = OldOf(*buffer);
  const int result = control_(descriptor, OldV4l2Request(request), &old);
  if (result < 0) return result;
  is_old_ = true;
  TakeOver(old, buffer);
  return result;
}

}  // namespace octet::port
