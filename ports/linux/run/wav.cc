#include "ports/linux/run/wav.h"

#include <algorithm>
#include <cstring>

namespace octet::port {
namespace {

constexpr size_t kRiffBytes = 12, kChunkBytes = 8, kFormatBytes = 16;
constexpr uint16_t kPcm = 1, kExtensible = 0xFFFE;
// The first two bytes of the GUID of an extensible format, behind its length and channel mask.
constexpr size_t kSubformatAt = 24;
constexpr uint32_t kMostRate = 768000;

uint32_t Little(const uint8_t* bytes, size_t count) {
  uint32_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

bool Is(const uint8_t* bytes, const char* name) {
  return std::memcmp(bytes, name, 4) == 0;
}

// Empty: it is what can be read.
std::string ReadFormat(const uint8_t* chunk, size_t size, Wav* wav) {
  if (size < kFormatBytes) return "its format has " + std::to_string(size) + " bytes, at least 16";
  uint32_t format = Little(chunk, 2);
  if (format == kExtensible && size >= kSubformatAt + 2) format = Little(chunk + kSubformatAt, 2);
  const uint32_t channels = Little(chunk + 2, 2), bits = Little(chunk + 14, 2);
  wav->rate = Little(chunk + 4, 4);
  if (format != kPcm) return "its samples are not PCM (format " + std::to_string(format) + ")";
  if (channels != 1) return "it has " + std::to_string(channels) + " channels";
  if (bits != 16) return "its samples have " + std::to_string(bits) + " bits";
  if (wav->rate == 0 || wav->rate > kMostRate) {
    return "its rate is " + std::to_string(wav->rate) + " Hz";
  }
  return {};
}

}  // namespace

Wav ParseWav(const uint8_t* bytes, size_t size) {
  Wav wav;
  if (size < kRiffBytes || !Is(bytes, "RIFF") || !Is(bytes + 8, "WAVE")) {
    wav.why = "it is not a WAV file";
    return wav;
  }
  bool has_format = false;
  for (size_t at = kRiffBytes; size - at >= kChunkBytes;) {
    const uint8_t* name = bytes + at;
    const size_t length = Little(bytes + at + 4, 4);
    at += kChunkBytes;
    if (length > size - at) {
      wav.why = "a part of it is missing: a chunk has " + std::to_string(length) + " bytes, " +
                std::to_string(size - at) + " are there";
      return wav;
    }
    if (Is(name, "fmt ")) {
      wav.why = ReadFormat(bytes + at, length, &wav);
      if (!wav.why.empty()) return wav;
      has_format = true;
    } else if (Is(name, "data")) {
      if (!has_format) break;
      wav.samples = bytes + at;
      wav.count = length / 2;
      if (wav.count == 0) wav.why = "it has no samples";
      return wav;
    }
    at += std::min(length + length % 2, size - at);  // chunks begin at even places
  }
  wav.why = has_format ? "it has no samples" : "it has no format before its samples";
  return wav;
}

}  // namespace octet::port
