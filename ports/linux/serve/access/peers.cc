#include "ports/linux/serve/access/peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "ports/linux/output/error.h"

namespace octet::port::serve {

std::optional<std::array<uint8_t, 16>> Peers::Bytes(std::string_view address, bool* is_v4) {
  const std::string text(address.substr(0, address.find('%')));  // without an interface
  std::array<uint8_t, 16> bytes{};
  in_addr v4;
  in6_addr v6;
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    *is_v4 = true;
    bytes[10] = bytes[11] = 0xFF;
    std::memcpy(bytes.data() + 12, &v4, sizeof(v4));
    return bytes;
  }
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::nullopt;
  *is_v4 = false;
  std::memcpy(bytes.data(), &v6, sizeof(v6));
  return bytes;
}

Peers::Peers(const std::string& option, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const size_t slash = std::min(word.find('/'), word.size());
    bool is_v4 = false;
    const auto bytes = Bytes(std::string_view(word).substr(0, slash), &is_v4);
    const uint32_t most = is_v4 ? 32 : 128;
    uint32_t bits = most;
    bool good = bytes.has_value();
    if (slash != word.size()) {
      const char* const end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(word.data() + slash + 1, end, bits);
      good = good && error == std::errc() && stop == end && bits <= most;
    }
    if (!good) {
      throw InputError(option + " " + word +
                       ": not a numeric address; write 192.168.1.5, or 192.168.1.0/24");
    }
    nets_.push_back({*bytes, is_v4 ? bits + 96 : bits});
  }
}

bool Peers::Holds(const Net& net, const std::array<uint8_t, 16>& bytes) {
  const size_t whole = net.bits / 8;
  if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  net.bytes.begin())) {
    return false;
  }
  const uint32_t rest = net.bits % 8;
  return rest == 0 || ((bytes[whole] ^ net.bytes[whole]) >> (8 - rest)) == 0;
}

bool Peers::Allow(std::string_view address) const {
  // Of a socket in the file system libzmq says localhost:USER:GROUP:PROCESS; addresses of networks
  // are numbers.
  constexpr std::string_view kLocal = "localhost:";
  if (address.empty() || address.substr(0, kLocal.size()) == kLocal) return true;
  bool is_v4 = false;
  const auto bytes = Bytes(address, &is_v4);
  if (!bytes) return false;
  constexpr Net kLoopback4 = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127}, 96 + 8};
  constexpr Net kLoopback6 = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128};
  if (Holds(kLoopback4, *bytes) || Holds(kLoopback6, *bytes)) return true;
  return std::any_of(nets_.begin(), nets_.end(),
                     [&](const Net& net) { return Holds(net, *bytes); });
}

}  // namespace octet::port::serve
