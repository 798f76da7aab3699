// The secret that requests by HTTP carry: DeepStack's api_key, or "Authorization: Bearer" of v2.
#ifndef OCTET_PORTS_LINUX_SERVE_ACCESS_TOKEN_H_
#define OCTET_PORTS_LINUX_SERVE_ACCESS_TOKEN_H_

#include <string>
#include <string_view>

namespace octet::port::serve {

class Token {
 public:
  Token() = default;
  // Of --token FILE: its first line. Throws InputError: it cannot be read, or is not a token.
  explicit Token(const std::string& path);

  bool is_set() const { return !secret_.empty(); }
  // True also where no token is set. The time does not tell how much of it was right.
  bool Accepts(std::string_view given) const;
  // Of the value of an Authorization header.
  bool AcceptsHeader(std::string_view value) const;

 private:
  std::string secret_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ACCESS_TOKEN_H_
