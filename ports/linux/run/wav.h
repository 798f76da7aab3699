// WAV files: RIFF, 16-bit PCM, one channel. Other files are refused by the caller's command.
#ifndef OCTET_PORTS_LINUX_RUN_WAV_H_
#define OCTET_PORTS_LINUX_RUN_WAV_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace octet::port {

struct Wav {
  const uint8_t* samples = nullptr;  // int16, little-endian; not aligned; within the file
  uint64_t count = 0;
  uint32_t rate = 0;  // a second
  std::string why;    // it is none, and why; else empty
};

// Never reads beyond `size`. Chunks that it does not know are skipped. The last chunk may end
// without its padding byte; one that is longer than the file is an error.
Wav ParseWav(const uint8_t* bytes, size_t size);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_WAV_H_
