#include "runtime/format/signature.h"

#include <string.h>

namespace octet {

namespace {

uint32_t CountSignatures(const BlobView& view, const blob::Section** last) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const blob::Section* section = SectionAt(view.header, i);
    if (section->kind != blob::SectionKind::kSignature) continue;
    *last = section;
    ++count;
  }
  return count;
}

}  // namespace

SignedMessage MessageOf(const blob::Header* header) {
  SignedMessage message;
  memcpy(message.prefix, kSignaturePrefix, sizeof(message.prefix));
  memcpy(message.digest, header->sha256, sizeof(message.digest));
  return message;
}

const blob::SignatureRecord* FindSignature(const BlobView& view) {
  const blob::Section* section = nullptr;
  if (CountSignatures(view, &section) != 1) return nullptr;
  if (section->bytes != sizeof(blob::SignatureRecord)) return nullptr;
  const auto* record = reinterpret_cast<const blob::SignatureRecord*>(view.base + section->offset);
  return record->algorithm == blob::SignatureAlgorithm::kEd25519 ? record : nullptr;
}

bool HasSignature(const BlobView& view) {
  const blob::Section* section = nullptr;
  return CountSignatures(view, &section) != 0;
}

void KeyIdOf(const uint8_t public_key[32], uint8_t key_id[8]) {
  uint8_t digest[kSha256Bytes];
  Sha256Of(public_key, 32, Sha256BlocksPortable, digest);
  memcpy(key_id, digest, 8);
}

}  // namespace octet
