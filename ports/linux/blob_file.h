// A blob's bytes in memory. Owned: read once from a descriptor that stays open, so that what was
// checked is what runs, whatever becomes of the file meanwhile; memory that is not loaded is never
// resident. Mapped: the file itself, for storage that cannot change.
#ifndef OCTET_PORTS_LINUX_BLOB_FILE_H_
#define OCTET_PORTS_LINUX_BLOB_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace octet::port {

enum class BlobStorage { kOwned, kMapped };

class BlobFile {
 public:
  // Opens the file; nothing is read. Throws InputError.
  BlobFile(const std::string& path, BlobStorage storage);
  ~BlobFile();
  BlobFile(const BlobFile&) = delete;
  BlobFile& operator=(const BlobFile&) = delete;

  // Page-aligned; what has not been loaded reads as zeros where owned.
  const uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }
  BlobStorage storage() const { return storage_; }

  // Makes bytes [begin, end) what the file holds now, and resident. False where it has become
  // shorter or cannot be read. end <= bytes().
  bool Load(size_t begin, size_t end) const;
  // Lets go of the whole pages in [begin, end).
  void Drop(size_t begin, size_t end) const;

 private:
  std::string path_;
  BlobStorage storage_;
  int descriptor_ = -1;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_BLOB_FILE_H_
