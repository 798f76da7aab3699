#include "converter/cli/secret_key.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <sodium.h>

#include "converter/support/error.h"

namespace octet::cli {
namespace {

constexpr std::string_view kSecretWord = "octet-ed25519-secret ";
static_assert(crypto_sign_SEEDBYTES == 32 && crypto_sign_SECRETKEYBYTES == 64 &&
              crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_BYTES == 64);

}  // namespace

SecretKey::SecretKey() {
  if (sodium_init() < 0) throw std::logic_error("libsodium does not start");
  randombytes_buf(seed_, sizeof(seed_));
  crypto_sign_seed_keypair(public_, secret_, seed_);
}

SecretKey::SecretKey(const std::string& path) {
  if (sodium_init() < 0) throw std::logic_error("libsodium does not start");
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail("--key {}: cannot be opened; make a key: octet key NEW.key", path);
  std::string text(kSecretWord.size() + 2 * sizeof(seed_) + 2, 0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  size_t count = 0;
  const char* end = nullptr;
  const bool good = text.size() == kSecretWord.size() + 2 * sizeof(seed_) + 1 &&
                    text.starts_with(kSecretWord) && text.ends_with('\n') &&
                    sodium_hex2bin(seed_, sizeof(seed_), text.data() + kSecretWord.size(),
                                   2 * sizeof(seed_), nullptr, &count, &end) == 0 &&
                    count == sizeof(seed_);
  const bool is_public = text.starts_with("octet-ed25519-public");
  sodium_memzero(text.data(), text.size());
  if (is_public) Fail("--key {}: this is the public half; give the file without .pub", path);
  if (!good) Fail("--key {}: not a secret key; make one: octet key NEW.key", path);
  crypto_sign_seed_keypair(public_, secret_, seed_);
}

SecretKey::~SecretKey() {
  sodium_memzero(seed_, sizeof(seed_));
  sodium_memzero(secret_, sizeof(secret_));
}

std::string SecretKey::Text() const {
  char hex[2 * sizeof(seed_) + 1];
  sodium_bin2hex(hex, sizeof(hex), seed_, sizeof(seed_));
  std::string text = std::string(kSecretWord) + hex + "\n";
  sodium_memzero(hex, sizeof(hex));
  return text;
}

port::PublicKey SecretKey::PublicHalf() const {
  port::PublicKey key;
  std::copy(std::begin(public_), std::end(public_), key.begin());
  return key;
}

void SecretKey::Sign(std::span<const uint8_t> message, uint8_t signature[64]) const {
  crypto_sign_detached(signature, nullptr, message.data(), message.size(), secret_);
}

}  // namespace octet::cli
