// Inputs of the self-test, and the hashes that every level gives for them.
#ifndef OCTET_PORTS_LINUX_RUN_SELF_TEST_VECTORS_H_
#define OCTET_PORTS_LINUX_RUN_SELF_TEST_VECTORS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "octet/octet.h"
#include "ports/linux/blob_file.h"
#include "runtime/format/golden.h"
#include "runtime/format/view.h"

namespace octet::port {

using Digest = std::array<uint8_t, kSha256Bytes>;

// The program's own blob is not what was built.
struct DamagedProgram : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SelfTestVectors {
 public:
  // path: a blob with golden vectors; empty: the blob inside the program, for which one picture is
  // computed and shipped_hashes.h has the hashes. Every byte of the blob is checked. Throws
  // InputError, DamagedProgram.
  explicit SelfTestVectors(const std::string& path);

  const uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const BlobView& blob() const { return blob_; }
  bool is_shipped() const { return !file_.has_value(); }

  uint32_t count() const { return golden_.record != nullptr ? golden_.record->vector_count : 1; }
  // All inputs of the session, which is one of this blob.
  octet_status Set(octet_session* session, uint32_t vector);
  Digest Expected(uint32_t plan, uint32_t vector, uint32_t output) const;

 private:
  // Empty, or what is wrong with the blob's bytes.
  std::string WhyNotWhole() const;
  void FindGolden();
  void MakePicture();

  std::optional<BlobFile> file_;
  const uint8_t* data_;
  size_t bytes_;
  BlobView blob_{};
  GoldenView golden_{};           // of a blob with a path
  std::vector<uint8_t> picture_;  // of the one without
  std::vector<float> memory_;
  float* aligned_ = nullptr;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SELF_TEST_VECTORS_H_
