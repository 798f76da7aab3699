#include "ports/linux/camera/program/bundle/tar.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace octet::port {
namespace {

constexpr size_t kTarBlock = 512;

// IEEE Std 1003.1, "ustar Interchange Format": numbers in octal digits, each field ended by a zero.
struct UstarHeader {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], typeflag,
      linkname[100];
  char magic[6], version[2], uname[32], gname[32], devmajor[8], devminor[8], prefix[155], pad[12];
};
static_assert(sizeof(UstarHeader) == kTarBlock);

template <size_t kBytes>
void SetOctal(uint64_t value, char (&field)[kBytes]) {
  std::snprintf(field, kBytes, "%0*llo", static_cast<int>(kBytes - 1),
                static_cast<unsigned long long>(value));
}

void AddHeader(const TarFile& file, uint64_t time_s, std::string* archive) {
  UstarHeader header{};
  file.name.copy(header.name, sizeof(header.name) - 1);
  SetOctal(0600, header.mode);
  SetOctal(0, header.uid);
  SetOctal(0, header.gid);
  SetOctal(file.text.size(), header.size);
  SetOctal(time_s, header.mtime);
  header.typeflag = '0';
  std::memcpy(header.magic, "ustar", sizeof(header.magic));
  std::memcpy(header.version, "00", sizeof(header.version));
  // The sum counts its own field as spaces.
  std::memset(header.checksum, ' ', sizeof(header.checksum));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&header);
  unsigned sum = 0;
  for (size_t i = 0; i < sizeof(header); ++i) sum += bytes[i];
  std::snprintf(header.checksum, sizeof(header.checksum), "%06o", sum & 0777777u);
  archive->append(reinterpret_cast<const char*>(&header), sizeof(header));
}

}  // namespace

std::string TarOf(const std::vector<TarFile>& files, uint64_t time_s) {
  std::string archive;
  for (const TarFile& file : files) {
    AddHeader(file, time_s, &archive);
    archive += file.text;
    archive.resize((archive.size() + kTarBlock - 1) / kTarBlock * kTarBlock);
  }
  archive.resize(archive.size() + 2 * kTarBlock);
  return archive;
}

}  // namespace octet::port
