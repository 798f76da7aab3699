// Recognises file systems on a device before it becomes a store, and whether they are in use.
#ifndef OCTET_PORTS_LINUX_SLOT_KNOWN_FORMATS_H_
#define OCTET_PORTS_LINUX_SLOT_KNOWN_FORMATS_H_

#include <cstddef>
#include <string>

namespace octet::port {

// Where such marks lie at most.
constexpr size_t kFormatBytes = 0x10080;

// "an ext4 file system", "a partition table (GPT)": of the device or file, by the marks that such
// formats carry; empty: none that is known here. Throws InputError where it cannot be read.
std::string KnownFormat(const std::string& path);

// The device or file for this program alone, while it lives: it cannot be mounted meanwhile.
class ExclusiveUse {
 public:
  explicit ExclusiveUse(const std::string& path);
  ~ExclusiveUse();
  ExclusiveUse(const ExclusiveUse&) = delete;
  ExclusiveUse& operator=(const ExclusiveUse&) = delete;

  // Who uses it already: it is mounted, swapped to, or under another device; empty: it is not used.
  const std::string& other() const { return other_; }

 private:
  int file_ = -1;
  std::string other_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_KNOWN_FORMATS_H_
