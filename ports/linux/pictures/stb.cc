#include "ports/linux/pictures/stb.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace {

// A PNG may begin with an empty data chunk, which the library copies to a null pointer.
[[maybe_unused]] void* CopyIfAny(void* to, const void* from, size_t bytes) {
  return bytes == 0 ? to : std::memcpy(to, from, bytes);
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
// Memory is zeroed, so that a damaged file gives the same pixels every time.
#define STBI_MALLOC(bytes) std::calloc(1, bytes)
#define STBI_REALLOC(block, bytes) std::realloc(block, bytes)
#define STBI_FREE(block) std::free(block)
#define memcpy CopyIfAny
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#undef memcpy
#pragma GCC diagnostic pop

namespace octet::pictures {
namespace {

// Bytes from the start of a BMP to the end of its pixels: their offset, and rows padded to 4 bytes.
// The library fills what is missing with black.
uint64_t BytesOfBmp(const uint8_t* bytes, size_t count, const Picture& picture) {
  const auto word = [&](size_t at) {
    return at + 1 < count ? uint32_t{bytes[at]} | uint32_t{bytes[at + 1]} << 8 : 0u;
  };
  constexpr size_t kOffset = 10, kHeaderSize = 14, kOldHeader = 12;
  const uint64_t bits = word(word(kHeaderSize) == kOldHeader ? 24 : 28);
  const uint64_t row_bytes = (picture.width * bits + 31) / 32 * 4;
  return (word(kOffset) | word(kOffset + 2) << 16) + picture.height * row_bytes;
}

uint32_t BigEndian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

// Of ISO 3309, as PNG has it, four bits at a time.
uint32_t Crc(const uint8_t* bytes, size_t count) {
  constexpr auto kTable = [] {
    std::array<uint32_t, 16> table{};
    for (uint32_t i = 0; i < table.size(); ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 4; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0xEDB88320u : 0u);
      table[i] = value;
    }
    return table;
  }();
  uint32_t crc = UINT32_MAX;
  for (size_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ kTable[crc & 15];
    crc = crc >> 4 ^ kTable[crc & 15];
  }
  return ~crc;
}

// The library reads past the checksums. Every chunk that it or the orientation uses has to keep its
// own; of others (text, time) nothing is used.
bool HasGoodChunks(const uint8_t* bytes, size_t count, std::string* why) {
  constexpr size_t kSignature = 8, kAround = 12;  // length, name, checksum
  for (size_t at = kSignature; at < count;) {
    const uint64_t length = count - at >= kAround ? BigEndian(bytes + at) : UINT64_MAX;
    if (length > count - at - kAround) {
      *why = "is truncated: its last chunk is not complete";
      return false;
    }
    const uint8_t* const name = bytes + at + 4;
    const auto is = [&](const char* word) { return std::memcmp(name, word, 4) == 0; };
    const bool is_used = (name[0] & 0x20) == 0 || is("tRNS") || is("eXIf");
    if (is_used && Crc(name, 4 + length) != BigEndian(name + 4 + length)) {
      *why = "is damaged: the checksum of its chunk at byte " + std::to_string(at) + " is wrong";
      return false;
    }
    if (is("IEND")) return true;
    at += kAround + length;
  }
  *why = "is truncated: it has no end";
  return false;
}

}  // namespace

bool IsPng(const uint8_t* bytes, size_t count) {
  return count >= 4 && std::memcmp(bytes, "\x89PNG", 4) == 0;
}

bool IsBmp(const uint8_t* bytes, size_t count) {
  return count >= 2 && bytes[0] == 'B' && bytes[1] == 'M';
}

bool ReadStbHeader(const uint8_t* bytes, size_t count, Picture* picture, std::string* why) {
  int width = 0, height = 0, channels = 0;
  if (count > INT32_MAX ||
      stbi_info_from_memory(bytes, static_cast<int>(count), &width, &height, &channels) == 0) {
    *why = "is truncated, damaged in its header, or in an unsupported form";
    return false;
  }
  picture->width = static_cast<uint32_t>(std::max(width, 0));
  // Of a BMP whose rows come from the top down it is negative.
  picture->height = static_cast<uint32_t>(std::abs(int64_t{height}));
  picture->channels = channels <= 2 ? 1 : 3;
  if (IsPng(bytes, count) && !HasGoodChunks(bytes, count, why)) return false;
  const uint64_t needed = IsBmp(bytes, count) ? BytesOfBmp(bytes, count, *picture) : 0;
  if (count >= needed) return true;
  *why = "is truncated: " + std::to_string(count) + " bytes of " + std::to_string(needed) +
         " are present";
  return false;
}

bool ReadStb(const uint8_t* bytes, size_t count, Picture* picture, std::string* why) {
  int width = 0, height = 0, channels = 0;
  uint8_t* pixels = stbi_load_from_memory(bytes, static_cast<int>(count), &width, &height,
                                          &channels, static_cast<int>(picture->channels));
  if (pixels == nullptr) {
    *why = std::string("cannot be decoded: ") + stbi_failure_reason();
    return false;
  }
  std::copy(pixels, pixels + picture->pixels.size(), picture->pixels.begin());
  std::free(pixels);
  return true;
}

}  // namespace octet::pictures
