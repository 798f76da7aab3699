// A small file of settings, read whole.
#ifndef OCTET_PORTS_LINUX_SERVE_ACCESS_SMALL_FILE_H_
#define OCTET_PORTS_LINUX_SERVE_ACCESS_SMALL_FILE_H_

#include <cstddef>
#include <string>

namespace octet::port::serve {

// Throws InputError that begins with `option`: it cannot be read, or is longer than `most_bytes`.
std::string ReadSmallFile(const std::string& option, const std::string& path, size_t most_bytes);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ACCESS_SMALL_FILE_H_
