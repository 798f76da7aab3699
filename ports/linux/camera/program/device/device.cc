#include "ports/linux/camera/program/device/device.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <vector>

#include "runtime/format/sha256.h"

namespace octet::port {
namespace {

constexpr size_t kIdBytes = 16;
using Id = std::array<uint8_t, kIdBytes>;

// Of 32 hexadecimal digits.
std::optional<Id> ReadId(const std::string& text) {
  if (text.size() != 2 * kIdBytes ||
      text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    return std::nullopt;
  }
  Id id;
  for (size_t i = 0; i < kIdBytes; ++i) {
    id[i] = static_cast<uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return id;
}

using Digest = std::array<uint8_t, kSha256Bytes>;

// HMAC (RFC 2104) with a key of less than a block.
Digest Hmac(const Id& key, const uint8_t* message, size_t bytes) {
  const auto hash = [&key](uint8_t pad, const uint8_t* data, size_t count) {
    std::array<uint8_t, kSha256BlockBytes> block{};
    std::copy(key.begin(), key.end(), block.begin());
    for (uint8_t& byte : block) byte = static_cast<uint8_t>(byte ^ pad);
    std::vector<uint8_t> all(block.begin(), block.end());
    all.insert(all.end(), data, data + count);
    Digest digest;
    Sha256Of(all.data(), all.size(), Sha256BlocksPortable, digest.data());
    return digest;
  };
  const Digest inner = hash(0x36, message, bytes);
  return hash(0x5C, inner.data(), inner.size());
}

}  // namespace

std::string DeviceOfMachine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::optional<Id> machine = ReadId(line);
  if (!machine || *machine == Id{}) return "";
  const Id application = *ReadId(kDeviceApplicationId);
  Digest id = Hmac(*machine, application.data(), application.size());
  id[6] = static_cast<uint8_t>((id[6] & 0x0Fu) | 0x40u);
  id[8] = static_cast<uint8_t>((id[8] & 0x3Fu) | 0x80u);
  std::string text;
  for (size_t i = 0; i < kIdBytes; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", id[i]);
    text += digits;
  }
  return text;
}

std::string DeviceName(const std::string& name) {
  return name.empty() ? DeviceOfMachine() : name;
}

}  // namespace octet::port
