// A tar archive (ustar) of small texts, in memory.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_TAR_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_TAR_H_

#include <cstdint>
#include <string>
#include <vector>

namespace octet::port {

struct TarFile {
  std::string name;  // with folders, shorter than 100 bytes
  std::string text;
};

// The archive, ended as tar wants it: files of mode 0600, user and group 0. time_s: since 1970.
std::string TarOf(const std::vector<TarFile>& files, uint64_t time_s);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_TAR_H_
