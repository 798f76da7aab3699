// usb_camera FPS JPEG...: a USB camera (UVC 1.0 with a bulk endpoint) behind the kernel's virtual
// USB host controller, so that the kernel's own uvcvideo drives it. Offers Motion JPEG in 640x480
// and 1280x720 (the files in turn, their Huffman tables left out as many cameras do) and YUYV in
// 640x480. Killing the program unplugs it.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kPayload = 16384, kControlBytes = 26, kMaxPictures = 64, kMaxWaiting = 64 };
enum { kMjpeg = 1, kYuyv = 2, kYuyvBytes = 640 * 480 * 2 };
enum { kSubmit = 1, kUnlink = 2, kSubmitted = 3, kUnlinked = 4 };

#define U16(x) (x) & 255, (x) >> 8 & 255
#define U32(x) U16(x), (x) >> 16 & 255, (x) >> 24 & 255
#define PERIOD U32(333333) /* of 100 ns */
#define FRAME(type, index, w, h)                                                                  \
  30, 0x24, type, index, 0, U16(w), U16(h), U32(1000000), U32(100000000), U32(2 * w * h), PERIOD, \
      1, PERIOD
#define CONTROL_BYTES (13 + 18 + 9)
#define STREAM_BYTES (15 + 11 + 30 + 30 + 27 + 30)

// clang-format off
static const uint8_t device_descriptor[] = {
    18, 1, U16(0x200), 0xEF, 2, 1, 64, U16(0x1d6b), U16(0x0102), U16(0x100), 0, 0, 0, 1};
static const uint8_t configuration[] = {
    9, 2, U16(9 + 8 + 9 + CONTROL_BYTES + 9 + STREAM_BYTES + 7), 2, 1, 0, 0x80, 50,
    8, 11, 0, 2, 14, 3, 0, 0,                                // video: interfaces 0 and 1
    9, 4, 0, 0, 0, 14, 1, 0, 0,                              // control interface
    13, 0x24, 1, U16(0x100), U16(CONTROL_BYTES), U32(48000000), 1, 1,
    18, 0x24, 2, 1, U16(0x201), 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,  // a camera ...
    9, 0x24, 3, 2, U16(0x101), 0, 1, 0,                      // ... to USB
    9, 4, 1, 0, 1, 14, 2, 0, 0,                              // streaming interface
    15, 0x24, 1, 2, U16(STREAM_BYTES), 0x81, 0, 2, 0, 0, 0, 1, 0, 0,
    11, 0x24, 6, kMjpeg, 2, 1, 1, 0, 0, 0, 0,
    FRAME(7, 1, 640, 480),
    FRAME(7, 2, 1280, 720),
    27, 0x24, 4, kYuyv, 1, 'Y', 'U', 'Y', '2', 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71, 16, 1, 0, 0, 0, 0,
    FRAME(5, 1, 640, 480),
    7, 5, 0x81, 2, U16(512), 0};
// clang-format on

// The messages of Documentation/usb/usbip_protocol.rst; numbers big-endian.
struct message {
  uint32_t command, number, device, in, endpoint;
  uint32_t a;  // transfer flags, the number to unlink, or a status
  uint32_t length, start, packets, interval;
  uint8_t setup[8];
};

static int host;                                                    // socket to the kernel
static uint8_t control[kControlBytes] = {0, 0, kMjpeg, 1, PERIOD};  // what was negotiated
static uint32_t waiting[kMaxWaiting];                               // requests for picture data
static int waits;

static void get(void* to, size_t count) {
  for (uint8_t* at = to; count != 0;) {
    const ssize_t got = read(host, at, count);
    if (got <= 0) exit(0);
    at += got, count -= (size_t)got;
  }
}

static void put(const void* from, size_t count) {
  for (const uint8_t* at = from; count != 0;) {
    const ssize_t written = write(host, at, count);
    if (written <= 0) exit(0);
    at += written, count -= (size_t)written;
  }
}

static void answer(uint32_t command, uint32_t number, int status, const void* data, size_t length) {
  const struct message message = {.command = htonl(command),
                                  .number = number,
                                  .a = htonl((uint32_t)status),
                                  .length = htonl((uint32_t)length)};
  put(&message, sizeof(message));
  if (data != NULL) put(data, length);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The format and frame asked for; all else is fixed.
static void settle(const uint8_t* wanted) {
  control[2] = wanted[2] == kYuyv ? kYuyv : kMjpeg;
  control[3] = control[2] == kMjpeg && wanted[3] == 2 ? 2 : 1;
  const uint8_t sizes[8] = {U32((control[3] == 2 ? 1280 * 720 : 640 * 480) * 2), U32(kPayload)};
  memcpy(control + 18, sizes, sizeof(sizes));
}

// A JPEG file without its segments of Huffman tables. Returns its size.
static size_t read_picture(const char* path, uint8_t* to) {
  static uint8_t file[1 << 21];
  FILE* stream = fopen(path, "rb");
  const size_t count = stream == NULL ? 0 : fread(file, 1, sizeof(file), stream);
  if (count < 4) exit(2);
  fclose(stream);
  size_t at = 2, out = 2;
  memcpy(to, file, 2);
  while (file[at + 1] != 0xDA) {
    const size_t length = 2 + (size_t)(file[at + 2] << 8 | file[at + 3]);
    if (file[at + 1] != 0xC4) memcpy(to + out, file + at, length), out += length;
    at += length;
  }
  memcpy(to + out, file + at, count - at);
  return out + count - at;
}

// A request to endpoint 0.
static void obey(const struct message* message, int* streaming, uint64_t* next_ns) {
  const uint8_t *setup = message->setup, type = setup[0], request = setup[1], value = setup[3];
  size_t length = ntohl(message->length);
  uint8_t data[512] = {0};
  if (message->in == 0 && length != 0) get(data, length);
  const uint8_t* reply = data;
  size_t size = length;
  int status = 0;
  if (type == 0x80 && request == 6) {  // GET_DESCRIPTOR
    reply = value == 1 ? device_descriptor : configuration;
    size = value == 1 ? sizeof(device_descriptor) : value == 2 ? sizeof(configuration) : 0;
    if (size == 0) status = -EPIPE;
  } else if (type == 0x21 && request == 1) {  // SET_CUR: 1 probes, 2 commits
    settle(data);
    if (value == 2) *streaming = 1, *next_ns = now_ns();
  } else if (type == 0xA1 && setup[4] == 1) {  // GET_*: length, what it can do, or the values
    memcpy(data, control, kControlBytes);
    if (request == 0x85) data[0] = kControlBytes, data[1] = 0, size = 2;
    if (request == 0x86) data[0] = 3, size = 1;
  } else if (type == 0xA1) {
    status = -EPIPE;
  } else if (type == 0x02 && request == 1) {  // CLEAR_FEATURE of the endpoint
    *streaming = 0;
  }
  if (status != 0) size = 0;
  if (size < length) length = size;
  answer(kSubmitted, message->number, status, message->in != 0 && status == 0 ? reply : NULL,
         length);
}

static void forget(uint32_t number, uint32_t wanted) {
  for (int i = 0; i < waits; ++i) {
    if (waiting[i] != wanted) continue;
    memmove(waiting + i, waiting + i + 1, (size_t)(--waits - i) * sizeof(*waiting));
    answer(kUnlinked, number, -ECONNRESET, NULL, 0);
    return;
  }
  answer(kUnlinked, number, 0, NULL, 0);
}

int main(int argc, char** argv) {
  static uint8_t ramp[kYuyvBytes], payload[kPayload];
  static uint8_t* pictures[kMaxPictures];
  static size_t sizes[kMaxPictures];
  if (argc < 3 || argc > 2 + kMaxPictures) return 2;
  const uint64_t period_ns = (uint64_t)(1e9 / atof(argv[1]));
  const size_t count = (size_t)argc - 2;
  for (size_t i = 0; i < count; ++i) {
    pictures[i] = malloc(1 << 21);
    sizes[i] = read_picture(argv[2 + i], pictures[i]);
  }
  for (int i = 0; i < kYuyvBytes; ++i)
    ramp[i] = i % 2 != 0 ? 128 : (uint8_t)(i / 2 % 640 * 255 / 640);

  int ends[2];
  char line[64];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  host = ends[0];
  const int length =
      snprintf(line, sizeof(line), "0 %d 1 3", ends[1]);  // port 0, device 1, high speed
  if (write(open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY), line, (size_t)length) !=
      length) {
    perror("usb_camera: cannot attach to vhci_hcd");
    return 1;
  }
  close(ends[1]);

  settle(control);
  int streaming = 0;
  uint64_t next_ns = 0;
  size_t shown = 0, at = 0, bytes = 0;  // bytes 0: between two frames
  const uint8_t* frame = NULL;
  for (;;) {
    while (streaming && waits != 0 && (bytes != 0 || now_ns() >= next_ns)) {
      if (bytes == 0) {
        next_ns += period_ns;
        frame = control[2] == kYuyv ? ramp : pictures[shown % count];
        bytes = control[2] == kYuyv ? kYuyvBytes : sizes[shown % count];
        ++shown, at = 0;
      }
      const size_t part = bytes - at < kPayload - 2 ? bytes - at : kPayload - 2;
      const int last = at + part == bytes;
      payload[0] = 2;
      payload[1] = (uint8_t)(0x80 | (shown & 1) | (last ? 2 : 0));
      memcpy(payload + 2, frame + at, part);
      answer(kSubmitted, waiting[0], 0, payload, part + 2);
      memmove(waiting, waiting + 1, (size_t)--waits * sizeof(*waiting));
      at += part;
      if (last) bytes = 0;
    }
    const uint64_t now = now_ns();
    struct pollfd readable = {host, POLLIN, 0};
    const int timeout = !streaming || waits == 0 ? -1
                        : next_ns <= now         ? 0
                                                 : (int)((next_ns - now) / 1000000 + 1);
    if (poll(&readable, 1, timeout) <= 0) continue;
    struct message message;
    get(&message, sizeof(message));
    if (ntohl(message.command) == kUnlink) {
      forget(message.number, message.a);
    } else if (message.endpoint == 0) {
      obey(&message, &streaming, &next_ns);
      if (!streaming) bytes = 0;
    } else if (waits < kMaxWaiting) {
      waiting[waits++] = message.number;
    }
  }
}
