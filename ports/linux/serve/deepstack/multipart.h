// multipart/form-data (RFC 7578): the parts of a body as views into it. Bytes of any client: fuzzed
// (tests/fuzz/multipart_target.cc).
#ifndef OCTET_PORTS_LINUX_SERVE_DEEPSTACK_MULTIPART_H_
#define OCTET_PORTS_LINUX_SERVE_DEEPSTACK_MULTIPART_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace octet::port::serve {

struct FormPart {
  std::string_view name;
  bool is_file = false;  // it has a filename
  std::string_view data;
};

constexpr size_t kMostParts = 64;

// Without the blanks and line ends around it.
std::string_view Trimmed(std::string_view text);

// Of a Content-Type header; empty: it is no multipart/form-data with a boundary.
std::string_view BoundaryOf(std::string_view content_type);

// False, with *why in one line.
bool ReadForm(std::string_view body, std::string_view boundary, std::vector<FormPart>* parts,
              std::string* why);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_DEEPSTACK_MULTIPART_H_
