// SHA-256 (FIPS 180-4), the hash of blobs. Portable code, and versions for CPUs with SHA
// instructions; the port says whether the machine has them.
#ifndef OCTET_FORMAT_SHA256_H_
#define OCTET_FORMAT_SHA256_H_

#include <stddef.h>
#include <stdint.h>

namespace octet {

constexpr uint32_t kSha256Bytes = 32;
constexpr uint32_t kSha256BlockBytes = 64;

// Feeds `block_count` blocks of 64 bytes (any alignment) into the state.
typedef void (*Sha256BlocksFn)(uint32_t state[8], const uint8_t* data, size_t block_count);

void Sha256BlocksPortable(uint32_t state[8], const uint8_t* data, size_t block_count);

// The version for CPUs with SHA instructions; the portable one where this architecture has none.
// Calling it on a machine without the instructions is an illegal instruction.
Sha256BlocksFn Sha256BlocksAccelerated();

struct Sha256 {
  Sha256BlocksFn blocks;
  uint32_t state[8];
  uint64_t byte_count;
  uint8_t pending[kSha256BlockBytes];
};

void Sha256Start(Sha256* hash, Sha256BlocksFn blocks);
void Sha256Update(Sha256* hash, const uint8_t* data, size_t bytes);
void Sha256Finish(Sha256* hash, uint8_t digest[kSha256Bytes]);

// One run of bytes.
void Sha256Of(const uint8_t* data, size_t bytes, Sha256BlocksFn blocks,
              uint8_t digest[kSha256Bytes]);

}  // namespace octet

#endif  // OCTET_FORMAT_SHA256_H_
