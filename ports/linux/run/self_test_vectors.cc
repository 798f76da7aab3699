#include "ports/linux/run/self_test_vectors.h"

#include <cstdlib>
#include <cstring>

#include "octet/self_test.h"
#include "ports/linux/cpu.h"
#include "ports/linux/output/error.h"
#include "ports/linux/run/shipped_blob.h"
#include "ports/linux/run/shipped_hashes.h"

namespace octet::port {
namespace {

// Neither is a multiple of the other, of the model's 320 or of a vector's length.
constexpr uint32_t kPictureWidth = 403, kPictureHeight = 307, kPictureChannels = 3;

Digest FromHex(const char* hex) {
  Digest digest{};
  for (size_t i = 0; i < digest.size(); ++i) {
    const char pair[] = {hex[2 * i], hex[2 * i + 1], 0};
    digest[i] = static_cast<uint8_t>(std::strtoul(pair, nullptr, 16));
  }
  return digest;
}

}  // namespace

SelfTestVectors::SelfTestVectors(const std::string& path) {
  if (path.empty()) {
    data_ = ShippedBlob();
    bytes_ = ShippedBlobBytes();
    if (const std::string why = WhyNotWhole(); !why.empty()) {
      throw DamagedProgram("the blob inside this program is " + why + "; install octet-run again");
    }
    ViewBlob(data_, bytes_, &blob_);  // whole, so valid
    MakePicture();
    return;
  }
  file_.emplace(path, BlobStorage::kOwned);
  data_ = file_->data();
  bytes_ = file_->bytes();
  if (!file_->Load(0, bytes_)) throw InputError(path + ": cannot be read; check the storage");
  if (const std::string why = WhyNotWhole(); !why.empty()) {
    throw InputError(path + ": " + why + "; copy it again");
  }
  ViewBlob(data_, bytes_, &blob_);
  FindGolden();
}

std::string SelfTestVectors::WhyNotWhole() const {
  const octet_status status =
      octet_validate(data_, bytes_, VerifyMode(DetectCpu()) | OCTET_VERIFY_CONTENT);
  if (status.code == OCTET_OK) return {};
  return std::string(octet_code_name(status.code)) + " at byte " + std::to_string(status.offset);
}

void SelfTestVectors::FindGolden() {
  const Status status = ViewGolden(blob_, &golden_);
  if (!IsOk(status)) {
    throw InputError(file_->path() + ": the golden section is malformed at byte " +
                     std::to_string(status.offset) + "; convert the model again");
  }
  if (golden_.record == nullptr) {
    throw InputError(file_->path() +
                     ": has no golden vectors; convert the model with --golden 1, or give no "
                     "MODEL");
  }
}

// Noise on squares: neighbours differ, and every value occurs.
void SelfTestVectors::MakePicture() {
  picture_.resize(size_t{kPictureWidth} * kPictureHeight * kPictureChannels);
  uint32_t x = 1;
  size_t at = 0;
  for (uint32_t row = 0; row < kPictureHeight; ++row) {
    for (uint32_t column = 0; column < kPictureWidth; ++column) {
      const uint32_t square = (row / 32 + column / 32) % 2 * 128;
      for (uint32_t c = 0; c < kPictureChannels; ++c) {
        x = x * 1664525u + 1013904223u;
        picture_[at++] = static_cast<uint8_t>(square + (x >> 25));
      }
    }
  }
}

octet_status SelfTestVectors::Set(octet_session* session, uint32_t vector) {
  if (is_shipped()) {
    return octet_set_input_image(session, 0, picture_.data(), kPictureHeight, kPictureWidth,
                                 kPictureChannels, size_t{kPictureWidth} * kPictureChannels);
  }
  if (aligned_ == nullptr) {
    constexpr size_t kAlignment = 64;
    memory_.resize((octet_golden_bytes(session) + kAlignment) / sizeof(float));
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    aligned_ = memory_.data() + (kAlignment - address % kAlignment) % kAlignment / sizeof(float);
  }
  return octet_golden_set(session, vector, aligned_);
}

Digest SelfTestVectors::Expected(uint32_t plan, uint32_t vector, uint32_t output) const {
  Digest digest{};
  if (!is_shipped()) {
    std::memcpy(digest.data(), GoldenDigestOf(golden_, plan, vector, output), digest.size());
    return digest;
  }
  for (const ShippedHash& known : kShippedHashes) {
    if (std::strcmp(known.plan, StringAt(blob_, blob_.plans[plan].name)) == 0) {
      return FromHex(known.sha256);
    }
  }
  return digest;
}

}  // namespace octet::port
