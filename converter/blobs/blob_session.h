// A blob of this program's own, bound with an arena of its own.
#ifndef OCTET_CONVERTER_BLOBS_BLOB_SESSION_H_
#define OCTET_CONVERTER_BLOBS_BLOB_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "converter/blobs/blob_file.h"
#include "converter/support/error.h"
#include "octet/octet.h"
#include "ports/linux/cpu.h"

namespace octet::blobs {

// One runtime session with its own arena.
class BlobSession {
 public:
  BlobSession(const BlobFile& blob, octet_isa isa) {
    size_t bytes = 0;
    Check(octet_arena_bytes(blob.data(), blob.bytes(), isa, 1, 0, &bytes));
    arena_.reset(static_cast<uint8_t*>(::operator new[](bytes, std::align_val_t{64})));
    octet_config config{};
    config.isa = isa;
    config.cpu_features = port::Features(port::DetectCpu());
    Check(octet_bind(blob.data(), blob.bytes(), arena_.get(), bytes, &config, &session_));
  }
  octet_session* get() const { return session_; }

  static void Check(octet_status status) {
    if (status.code != OCTET_OK) {
      Fail("the blob cannot be compared: {}; give the model and the shapes that it was made from",
           octet_code_name(status.code));
    }
  }

 private:
  struct Free {
    void operator()(uint8_t* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<uint8_t[], Free> arena_;
  octet_session* session_ = nullptr;
};

}  // namespace octet::blobs

#endif  // OCTET_CONVERTER_BLOBS_BLOB_SESSION_H_
