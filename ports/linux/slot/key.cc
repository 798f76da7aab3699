#include "ports/linux/slot/key.h"

#include <algorithm>
#include <cstdio>

#include "octet/slots.h"
#include "ports/linux/file.h"
#include "runtime/format/signature.h"

#if defined(OCTET_HAS_SODIUM)
#include <sodium.h>
#endif

namespace octet::port {
namespace {

constexpr char kPublicWord[] = "octet-ed25519-public ";

std::string Hex(const uint8_t* bytes, size_t count) {
  std::string text;
  char digits[3];
  for (size_t i = 0; i < count; ++i) {
    std::snprintf(digits, sizeof(digits), "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

// -1: no digit of those that Hex writes.
int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string TextOf(const std::string& path) {
  const MappedFile file(path);
  return {reinterpret_cast<const char*>(file.data()), file.bytes()};
}

}  // namespace

std::string PublicKeyText(const PublicKey& key) {
  return kPublicWord + Hex(key.data(), key.size()) + "\n";
}

std::string KeyIdText(const uint8_t* key_id) {
  return Hex(key_id, OCTET_KEY_ID_BYTES);
}

PublicKey ReadPublicKey(const std::string& path) {
  if (!KnowsSignatures()) {
    throw InputError("--key " + path +
                     ": this program has no libsodium and cannot check signatures; run ./setup.sh "
                     "--tests, then build again");
  }
  const std::string text = path.starts_with(kPublicWord) ? path + "\n" : TextOf(path);
  constexpr size_t kWordBytes = sizeof(kPublicWord) - 1;
  PublicKey key{};
  bool good = text.size() == PublicKeyText(key).size() && text.starts_with(kPublicWord) &&
              text.ends_with('\n');
  for (size_t i = 0; good && i < key.size(); ++i) {
    const int high = DigitOf(text[kWordBytes + 2 * i]), low = DigitOf(text[kWordBytes + 2 * i + 1]);
    good = high >= 0 && low >= 0;
    key[i] = static_cast<uint8_t>(high * 16 + low);
  }
  if (!good) {
    throw InputError("--key " + path +
                     ": not a public key; octet key NEW.key writes one as NEW.key.pub");
  }
  return key;
}

#if defined(OCTET_HAS_SODIUM)

bool KnowsSignatures() {
  return true;
}

std::string SignatureNote() {
  return "";
}

int VerifySignature(void* context, const uint8_t* key_id, const uint8_t* signature,
                    const uint8_t* message, size_t message_bytes) {
  if (sodium_init() < 0) return 0;
  const auto& keys = *static_cast<const std::vector<PublicKey>*>(context);
  return std::any_of(keys.begin(), keys.end(), [&](const PublicKey& key) {
    uint8_t id[OCTET_KEY_ID_BYTES];
    KeyIdOf(key.data(), id);
    return std::equal(id, id + sizeof(id), key_id) &&
           crypto_sign_verify_detached(signature, message, message_bytes, key.data()) == 0;
  });
}

#else

bool KnowsSignatures() {
  return false;
}

std::string SignatureNote() {
  return "built without libsodium: signatures cannot be checked, and --key is refused";
}

int VerifySignature(void*, const uint8_t*, const uint8_t*, const uint8_t*, size_t) {
  return 0;
}

#endif

}  // namespace octet::port
