// Whose addresses may speak to us by ZeroMQ.
#ifndef OCTET_PORTS_LINUX_SERVE_ACCESS_PEERS_H_
#define OCTET_PORTS_LINUX_SERVE_ACCESS_PEERS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace octet::port::serve {

class Peers {
 public:
  Peers() = default;
  // "192.168.1.5", "10.0.0.0/8", "fd00::/8". Throws InputError that begins with `option`.
  Peers(const std::string& option, const std::vector<std::string>& words);

  bool empty() const { return nets_.empty(); }
  // This machine itself (loopback, and a socket in the file system), and those of the list.
  bool Allow(std::string_view address) const;

 private:
  struct Net {
    std::array<uint8_t, 16> bytes{};  // IPv4 as ::ffff:a.b.c.d
    uint32_t bits = 128;
  };
  static std::optional<std::array<uint8_t, 16>> Bytes(std::string_view address, bool* is_v4);
  static bool Holds(const Net& net, const std::array<uint8_t, 16>& bytes);

  std::vector<Net> nets_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ACCESS_PEERS_H_
