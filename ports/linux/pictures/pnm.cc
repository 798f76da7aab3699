#include "ports/linux/pictures/pnm.h"

#include <algorithm>

namespace octet::pictures {
namespace {

constexpr uint64_t kMostNumber = UINT32_MAX;

bool IsSpace(uint8_t byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

// The next number behind white space and comments. False: there is none.
bool NextNumber(const uint8_t* bytes, size_t count, size_t* at, uint64_t* number) {
  while (*at < count && (IsSpace(bytes[*at]) || bytes[*at] == '#')) {
    if (bytes[(*at)++] != '#') continue;
    while (*at < count && bytes[*at] != '\n' && bytes[*at] != '\r') ++*at;
  }
  const size_t begin = *at;
  for (*number = 0; *at < count && bytes[*at] >= '0' && bytes[*at] <= '9'; ++*at) {
    *number = *number * 10 + (bytes[*at] - uint64_t{'0'});
    if (*number > kMostNumber) *number = kMostNumber;
  }
  return *at != begin;
}

// Each value of the file to 8 bits; false, with *why, for one above the maximum.
bool Scale(uint64_t value, uint32_t maximum, uint8_t* to, std::string* why) {
  if (value > maximum) {
    *why = "a value of " + std::to_string(value) + " is above the maximum of its header, " +
           std::to_string(maximum);
    return false;
  }
  *to = static_cast<uint8_t>((value * 255 + maximum / 2) / maximum);
  return true;
}

}  // namespace

bool IsPnm(const uint8_t* bytes, size_t count) {
  return count >= 2 && bytes[0] == 'P' &&
         (bytes[1] == '2' || bytes[1] == '3' || bytes[1] == '5' || bytes[1] == '6');
}

bool ReadPnmHeader(const uint8_t* bytes, size_t count, PnmHeader* header, std::string* why) {
  size_t at = 2;
  uint64_t width = 0, height = 0, maximum = 0;
  header->plain = bytes[1] == '2' || bytes[1] == '3';
  header->channels = bytes[1] == '2' || bytes[1] == '5' ? 1 : 3;
  if (at < count && !IsSpace(bytes[at]) && bytes[at] != '#') {
    *why = "starts like a PGM or PPM, but its header is not valid";
    return false;
  }
  if (!NextNumber(bytes, count, &at, &width) || !NextNumber(bytes, count, &at, &height) ||
      !NextNumber(bytes, count, &at, &maximum) || at >= count || !IsSpace(bytes[at])) {
    *why = "is truncated or damaged in its header";
    return false;
  }
  if (maximum < 1 || maximum > 65535) {
    *why =
        "its header gives a maximum of " + std::to_string(maximum) + "; 1 to 65535 are supported";
    return false;
  }
  header->width = static_cast<uint32_t>(width);
  header->height = static_cast<uint32_t>(height);
  header->maximum = static_cast<uint32_t>(maximum);
  header->pixels_at = at + 1;
  return true;
}

bool ReadPnm(const uint8_t* bytes, size_t count, const PnmHeader& header, Picture* picture,
             std::string* why) {
  const size_t values = picture->pixels.size();
  uint8_t* to = picture->pixels.data();
  size_t at = header.pixels_at;
  if (header.plain) {
    for (size_t i = 0; i < values; ++i) {
      uint64_t value = 0;
      if (!NextNumber(bytes, count, &at, &value)) {
        *why = "is truncated: " + std::to_string(i) + " values of " + std::to_string(values) +
               " are present";
        return false;
      }
      if (!Scale(value, header.maximum, to + i, why)) return false;
    }
    return true;
  }
  const size_t value_bytes = header.maximum > 255 ? 2 : 1, needed = at + values * value_bytes;
  if (count < needed) {
    *why = "is truncated: " + std::to_string(count) + " bytes of " + std::to_string(needed) +
           " are present";
    return false;
  }
  if (header.maximum == 255) {
    std::copy(bytes + at, bytes + at + values, to);
    return true;
  }
  for (size_t i = 0; i < values; ++i, at += value_bytes) {
    const uint64_t value =
        value_bytes == 1 ? bytes[at] : uint64_t{bytes[at]} << 8 | uint64_t{bytes[at + 1]};
    if (!Scale(value, header.maximum, to + i, why)) return false;
  }
  return true;
}

}  // namespace octet::pictures
