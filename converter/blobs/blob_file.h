// A blob in memory, verified by the runtime before anything looks inside.
#ifndef OCTET_CONVERTER_BLOBS_BLOB_FILE_H_
#define OCTET_CONVERTER_BLOBS_BLOB_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "runtime/format/view.h"

namespace octet::blobs {

class BlobFile {
 public:
  // Reads and verifies the file, hashes included; throws UserError.
  explicit BlobFile(const std::string& path);
  // The same of bytes that convert has just made and verified.
  explicit BlobFile(const std::vector<uint8_t>& blob);
  const uint8_t* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(uint8_t* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<uint8_t[], Free> data_;
  size_t bytes_ = 0;
};

// Of a verified file.
BlobView ViewOf(const BlobFile& file);

}  // namespace octet::blobs

#endif  // OCTET_CONVERTER_BLOBS_BLOB_FILE_H_
