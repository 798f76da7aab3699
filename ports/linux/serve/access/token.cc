#include "ports/linux/serve/access/token.h"

#include <algorithm>

#include "ports/linux/http/request.h"
#include "ports/linux/output/error.h"
#include "ports/linux/serve/access/small_file.h"

namespace octet::port::serve {
namespace {

constexpr size_t kLeast = 16, kMost = 1024;

}  // namespace

Token::Token(const std::string& path) {
  const std::string text = ReadSmallFile("--token", path, kMost);
  secret_ = text.substr(0, text.find_first_of("\r\n"));
  const bool printable =
      std::all_of(secret_.begin(), secret_.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (secret_.size() < kLeast || !printable) {
    throw InputError("--token " + path + ": its first line is not a token of " +
                     std::to_string(kLeast) +
                     " or more characters without spaces; make one: openssl rand -hex 32");
  }
}

bool Token::Accepts(std::string_view given) const {
  unsigned differs = given.size() == secret_.size() ? 0 : 1;
  for (size_t i = 0; i < secret_.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    differs |= static_cast<unsigned>(static_cast<unsigned char>(c ^ secret_[i]));
  }
  return !is_set() || differs == 0;
}

bool Token::AcceptsHeader(std::string_view value) const {
  constexpr std::string_view kScheme = "bearer ";
  if (!is_set()) return true;
  if (!http::SameWord(value.substr(0, kScheme.size()), kScheme)) return false;
  value.remove_prefix(kScheme.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return Accepts(value);
}

}  // namespace octet::port::serve
