#include "ports/linux/http/request.h"

#include <algorithm>

namespace octet::port::http {
namespace {

// Takes the next line off, without its end.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find("\r\n");
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end + 2);
  return line;
}

bool HasControls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  });
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// METHOD /path?query HTTP/1.x
bool ReadFirstLine(std::string_view line, Request* request) {
  const size_t method_end = line.find(' ');
  if (method_end == 0 || method_end == std::string_view::npos) return false;
  const size_t target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos) return false;
  const std::string_view version = line.substr(target_end + 1);
  if (version.size() != 8 || version.substr(0, 7) != "HTTP/1.") return false;
  request->method = line.substr(0, method_end);
  const std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
  request->path = target.substr(0, target.find('?'));
  return !request->path.empty() && request->path[0] == '/';
}

}  // namespace

bool SameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

Reading ReadRequest(std::string_view text, Request* request) {
  *request = {};
  const size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return text.size() < kLongestHead ? Reading::kUnfinished : Reading::kTooLong;
  }
  if (end + 4 > kLongestHead) return Reading::kTooLong;
  std::string_view head = text.substr(0, end + 2);
  const std::string_view first = TakeLine(&head);
  if (HasControls(first) || !ReadFirstLine(first, request)) return Reading::kBad;
  bool has_host = false;
  while (!head.empty()) {
    const std::string_view line = TakeLine(&head);
    const size_t colon = line.find(':');
    if (HasControls(line) || colon == std::string_view::npos || colon == 0) return Reading::kBad;
    if (!SameWord(line.substr(0, colon), "host")) continue;
    if (has_host) return Reading::kBad;
    has_host = true;
    request->host = Trimmed(line.substr(colon + 1));
  }
  return Reading::kDone;
}

bool IsHost(std::string_view host, std::string_view name) {
  if (!SameWord(host.substr(0, name.size()), name)) return false;
  const std::string_view port = host.substr(name.size());
  if (port.empty()) return true;
  return port[0] == ':' && port.size() <= 6 &&
         port.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool IsLoopback(std::string_view host) {
  return IsHost(host, "localhost") || IsHost(host, "127.0.0.1") || IsHost(host, "[::1]");
}

}  // namespace octet::port::http
