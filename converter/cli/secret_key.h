// Ed25519 keys that models are signed with (libsodium).
#ifndef OCTET_CONVERTER_CLI_SECRET_KEY_H_
#define OCTET_CONVERTER_CLI_SECRET_KEY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ports/linux/slot/key.h"

namespace octet::cli {

// Wiped when it goes.
class SecretKey {
 public:
  SecretKey();  // a new one, at random
  // Reads what Text wrote; throws UserError.
  explicit SecretKey(const std::string& path);
  ~SecretKey();
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;

  std::string Text() const;  // one line
  port::PublicKey PublicHalf() const;
  void Sign(std::span<const uint8_t> message, uint8_t signature[64]) const;

 private:
  uint8_t seed_[32];
  uint8_t secret_[64], public_[32];
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_SECRET_KEY_H_
