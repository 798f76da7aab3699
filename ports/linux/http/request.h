// The head of an HTTP/1 request (RFC 9112, sections 2 and 3), as far as a server needs it that
// answers GET and HEAD alone. Reads bytes of any client: fuzzed (tests/fuzz/http_target.cc).
#ifndef OCTET_PORTS_LINUX_HTTP_REQUEST_H_
#define OCTET_PORTS_LINUX_HTTP_REQUEST_H_

#include <cstddef>
#include <string_view>

namespace octet::port::http {

// Browsers send up to 8 to 16 KB: cookies of all that was ever served on localhost, whatever its
// port.
constexpr size_t kLongestHead = 16384;

// Parts of the text read.
struct Request {
  std::string_view method;
  std::string_view path;  // without a query
  std::string_view host;  // of the one Host header; empty: none
};

enum class Reading { kUnfinished, kDone, kBad, kTooLong };

// kUnfinished: the empty line that ends the head has not come, and may still. kBad: it is no
// request, or names two hosts. kTooLong: longer than kLongestHead.
Reading ReadRequest(std::string_view text, Request* request);

// Whether a Host header is what a browser sends that was pointed at this machine's loopback
// address: localhost, 127.0.0.1 or [::1], with any port. A page of another site whose name has been
// made to resolve here (DNS rebinding) sends its own name.
bool IsLoopback(std::string_view host);

// Equal but for the case of letters.
bool SameWord(std::string_view a, std::string_view b);

// Whether a Host header is this name, with any port or none.
bool IsHost(std::string_view host, std::string_view name);

}  // namespace octet::port::http

#endif  // OCTET_PORTS_LINUX_HTTP_REQUEST_H_
