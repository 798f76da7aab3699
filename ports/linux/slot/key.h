// Public keys that models are signed with: read from files, and asked by octet_slots.
#ifndef OCTET_PORTS_LINUX_SLOT_KEY_H_
#define OCTET_PORTS_LINUX_SLOT_KEY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace octet::port {

// False: this program was built without libsodium and refuses all that needs a key.
bool KnowsSignatures();
// For --version and --help of such a program; empty otherwise.
std::string SignatureNote();

using PublicKey = std::array<uint8_t, 32>;

// The one line of a public key's file, and back.
std::string PublicKeyText(const PublicKey& key);
// path: of the file, or that line itself, for a board that has no such file. Throws InputError: no
// such file, no key, or a build without signatures.
PublicKey ReadPublicKey(const std::string& path);

// "9f86d081884c7d65", as octet inspect shows it.
std::string KeyIdText(const uint8_t* key_id);

// octet_slots_config.verify_signature. context: const std::vector<PublicKey>*; any of them will do.
int VerifySignature(void* context, const uint8_t* key_id, const uint8_t* signature,
                    const uint8_t* message, size_t message_bytes);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_KEY_H_
