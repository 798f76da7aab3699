#include "ports/linux/slot/known_formats.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "ports/linux/file.h"
#include "ports/linux/output/again.h"
#include "ports/linux/output/whole.h"

namespace octet::port {
namespace {

using namespace std::literals;

struct Mark {
  std::string_view format;
  uint32_t offset;
  std::string_view bytes;
};
// As libblkid's sources and the kernel's headers give them (linux/magic.h, include/uapi).
constexpr Mark kMarks[] = {
    {"an ext2, ext3 or ext4 file system", 0x438, "\x53\xEF"sv},
    {"an XFS file system", 0, "XFSB"sv},
    {"a Btrfs file system", 0x10040, "_BHRfS_M"sv},
    {"an F2FS file system", 0x400, "\x10\x20\xF5\xF2"sv},
    {"an EROFS file system", 0x400, "\xE2\xE1\xF5\xE0"sv},
    {"a SquashFS file system", 0, "hsqs"sv},
    {"a cramfs file system", 0, "\x45\x3D\xCD\x28"sv},
    {"a JFFS2 file system", 0, "\x85\x19"sv},
    {"a UBI volume", 0, "UBI#"sv},
    {"a UBIFS file system", 0, "\x31\x18\x10\x06"sv},
    {"a NILFS2 file system", 0x406, "\x34\x34"sv},
    {"a JFS file system", 0x8000, "JFS1"sv},
    {"a ReiserFS file system", 0x10034, "ReIsEr"sv},
    {"a bcachefs file system", 0x1018,
     "\xC6\x85\x73\xF6\x4E\x1A\x45\xCA\x82\x65\xF5\x7F\x48\xBA\x6D\x81"sv},
    {"a FAT file system", 0x36, "FAT1"sv},
    {"a FAT file system", 0x52, "FAT32"sv},
    {"an exFAT file system", 3, "EXFAT   "sv},
    {"an NTFS file system", 3, "NTFS    "sv},
    {"an ISO 9660 file system", 0x8001, "CD001"sv},
    {"a UDF file system", 0x8001, "BEA01"sv},
    {"a Linux swap area", 4086, "SWAPSPACE2"sv},
    {"a Linux swap area", 16374, "SWAPSPACE2"sv},
    {"a Linux swap area", 65526, "SWAPSPACE2"sv},
    {"a LUKS volume", 0, "LUKS\xBA\xBE"sv},
    {"an LVM volume", 512 + 24, "LVM2 001"sv},
    {"an LVM volume", 24, "LVM2 001"sv},
    {"a part of a RAID", 0x1000, "\xFC\x4E\x2B\xA9"sv},
    {"a part of a RAID", 0, "\xFC\x4E\x2B\xA9"sv},
    {"a partition table (GPT)", 512, "EFI PART"sv},
    {"a partition table (GPT)", 4096, "EFI PART"sv},
};
// A table of four partitions, at least one with a type and a length.
bool IsPartitionTable(const std::vector<uint8_t>& bytes) {
  if (bytes.size() < 512 || bytes[510] != 0x55 || bytes[511] != 0xAA) return false;
  for (size_t entry = 446; entry < 510; entry += 16) {
    const bool is_flag = bytes[entry] == 0 || bytes[entry] == 0x80;
    const uint8_t* length = &bytes[entry + 12];
    if (is_flag && bytes[entry + 4] != 0 &&
        std::any_of(length, length + 4, [](uint8_t b) { return b != 0; })) {
      return true;
    }
  }
  return false;
}

// A plain file may be used by a loop device, which sysfs lists.
std::string LoopOver(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) return "";
  for (const auto& device : std::filesystem::directory_iterator("/sys/block", error)) {
    std::ifstream file(device.path() / "loop/backing_file");
    std::string backing;
    if (std::getline(file, backing) && backing == real.string()) {
      return "/dev/" + device.path().filename().string() + " uses it";
    }
  }
  return "";
}

}  // namespace

std::string KnownFormat(const std::string& path) {
  const int file = Again([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  std::vector<uint8_t> bytes(kFormatBytes);
  int problem = file < 0 ? errno : 0;
  const size_t count = problem == 0 ? ReadWhole(file, bytes.data(), bytes.size()) : 0;
  if (problem == 0 && count < bytes.size()) problem = errno;
  if (file >= 0) close(file);
  if (problem != 0)
    throw InputError("cannot read " + path + ": " + ErrorText(problem) + "; check its permissions");
  bytes.resize(count);
  for (const Mark& mark : kMarks) {
    if (mark.offset + mark.bytes.size() <= bytes.size() &&
        std::memcmp(bytes.data() + mark.offset, mark.bytes.data(), mark.bytes.size()) == 0) {
      return std::string(mark.format);
    }
  }
  return IsPartitionTable(bytes) ? "a partition table (MBR)" : "";
}

ExclusiveUse::ExclusiveUse(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return;
  if (S_ISREG(info.st_mode)) {
    other_ = LoopOver(path);
    return;
  }
  // Of a block device O_EXCL asks the kernel whether a file system or another device holds it, or
  // one of its partitions.
  file_ = Again([&] { return open(path.c_str(), O_RDWR | O_EXCL | O_CLOEXEC); });
  if (file_ < 0 && errno == EBUSY) other_ = "a file system or another device uses it";
}

ExclusiveUse::~ExclusiveUse() {
  if (file_ >= 0) close(file_);
}

}  // namespace octet::port
