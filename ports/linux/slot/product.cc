// The product of a store: the folder's file `product`, or two copies of a small record on a device.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "ports/linux/file.h"
#include "ports/linux/output/again.h"
#include "ports/linux/output/output_file.h"
#include "ports/linux/output/whole.h"
#include "ports/linux/slot/storage.h"
#include "runtime/format/product.h"
#include "runtime/format/sha256.h"

namespace octet::port {
namespace {

constexpr uint8_t kMagic[8] = {0x89, 'O', 'C', 'N', '\r', '\n', 0x1A, '\n'};
constexpr const char* kFile = "product";

struct ProductRecord {  // 128 bytes; docs/flashing.md, "Layout"
  uint8_t magic[8];
  char name[64];  // zero padded; all zero: none
  uint8_t reserved[24];
  uint8_t sha256[kSha256Bytes];  // of the bytes before
};
static_assert(sizeof(ProductRecord) == 128, "ProductRecord layout");

// 1 MiB behind each state record, so that writing one copy does not touch the other.
constexpr off_t kPlaces[] = {off_t{1} << 20, off_t{5} << 20};

void Hash(const ProductRecord& record, uint8_t digest[kSha256Bytes]) {
  Sha256Of(reinterpret_cast<const uint8_t*>(&record), offsetof(ProductRecord, sha256),
           Sha256BlocksPortable, digest);
}

}  // namespace

void RequireProductName(const std::string& name, const std::string& where) {
  if (blob::IsProductName(reinterpret_cast<const uint8_t*>(name.data()), name.size())) return;
  throw InputError(where + " '" + name + "': not the name of a product; write 1 to " +
                   std::to_string(blob::kMostProductBytes) + " letters, digits, '.', '_' and '-'");
}

std::string SlotStorage::ReadProduct() const {
  if (is_folder_) {
    std::string name = ReadText(kFile);
    while (!name.empty() && (name.back() == '\n' || name.back() == '\r')) name.pop_back();
    // An empty name is an error, not a missing file. ReadText refuses an empty file.
    if (!name.empty()) RequireProductName(name, path_ + "/" + kFile);
    return name;
  }
  int error = 0;
  for (const off_t place : kPlaces) {
    ProductRecord record;
    if (ReadWholeAt(descriptor_, place, &record, sizeof(record)) != sizeof(record)) {
      error = errno;
      continue;
    }
    uint8_t digest[kSha256Bytes];
    Hash(record, digest);
    if (std::memcmp(record.magic, kMagic, sizeof(kMagic)) != 0 ||
        std::memcmp(record.sha256, digest, sizeof(digest)) != 0) {
      continue;
    }
    // A checksum is not a signature: a program that can write the device can make one.
    const std::string name(record.name, strnlen(record.name, sizeof(record.name)));
    if (!name.empty()) RequireProductName(name, path_);
    return name;
  }
  if (error != 0) {
    throw InputError("cannot read the product of " + path_ + ": " + ErrorText(error) +
                     "; try again, or replace the storage");
  }
  return "";
}

bool SlotStorage::WriteProduct(const std::string& name) {
  if (is_folder_) {
    const std::string line = name + "\n";
    OutputFile file(path_ + "/" + kFile, Kept::kDurable, Links::kReplaced);
    file.Write(line.data(), line.size());
    file.Commit();
    return true;
  }
  ProductRecord record{};
  std::copy(std::begin(kMagic), std::end(kMagic), record.magic);
  std::copy_n(name.begin(), std::min(name.size(), sizeof(record.name)), record.name);
  Hash(record, record.sha256);
  if (!MayWrite()) return Fail("write", OCTET_AREA_STATE_0), false;
  for (const off_t place : kPlaces) {
    if (!WriteWholeAt(descriptor_, place, &record, sizeof(record)))
      return Fail("write", OCTET_AREA_STATE_0), false;
  }
  if (Again([&] { return fsync(descriptor_); }) == 0) return true;
  return Fail("sync", OCTET_AREA_STATE_0), false;
}

}  // namespace octet::port
