// The signature section (FORMAT.md, "Signature section"). What is here finds it and says what is
// signed; who owns a key and does the arithmetic is the port's affair.
#ifndef OCTET_FORMAT_SIGNATURE_H_
#define OCTET_FORMAT_SIGNATURE_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/format/sha256.h"
#include "runtime/format/view.h"

namespace octet {
namespace blob {

enum class SignatureAlgorithm : uint32_t { kEd25519 = 1 };

struct SignatureRecord {  // 80 bytes, the whole section
  SignatureAlgorithm algorithm;
  uint32_t reserved;
  uint8_t key_id[8];  // first bytes of the SHA-256 of the public key's 32 bytes
  uint8_t signature[64];
};
static_assert(sizeof(SignatureRecord) == 80, "SignatureRecord layout");

}  // namespace blob

// What is signed: these 24 bytes, so that no signature made for something else fits a blob, and the
// header's digest.
constexpr uint8_t kSignaturePrefix[24] = "octet blob, signature 1";
struct SignedMessage {
  uint8_t prefix[sizeof(kSignaturePrefix)];
  uint8_t digest[kSha256Bytes];
};
static_assert(sizeof(SignedMessage) == 56, "no padding");

// header: as ViewSections takes it, its digest checked or just computed.
SignedMessage MessageOf(const blob::Header* header);

// The one signature of a blob that ViewSections has taken; null where there is none, and where it
// is of an algorithm or size unknown here, or not alone.
const blob::SignatureRecord* FindSignature(const BlobView& view);
// Whether there is any section of that kind.
bool HasSignature(const BlobView& view);

// Of a public key of 32 bytes.
void KeyIdOf(const uint8_t public_key[32], uint8_t key_id[8]);

}  // namespace octet

#endif  // OCTET_FORMAT_SIGNATURE_H_
