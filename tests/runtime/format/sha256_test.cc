#include "runtime/format/sha256.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

#include "octet/octet.h"
#include "tests/support/blob_builder.h"

namespace octet {
namespace {

bool HasShaInstructions() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
#elif defined(__aarch64__)
  return (getauxval(AT_HWCAP) >> 6 & 1) != 0;
#else
  return false;
#endif
}

std::string Hex(const std::string& text, Sha256BlocksFn blocks) {
  uint8_t digest[kSha256Bytes];
  Sha256Of(reinterpret_cast<const uint8_t*>(text.data()), text.size(), blocks, digest);
  std::string hex;
  for (const uint8_t byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    hex += digits;
  }
  return hex;
}

class Sha256Test : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !HasShaInstructions()) GTEST_SKIP() << "this CPU has no SHA instructions";
  }
  Sha256BlocksFn blocks() const {
    return GetParam() ? Sha256BlocksAccelerated() : Sha256BlocksPortable;
  }
};

// FIPS 180-4 examples.
TEST_P(Sha256Test, Vectors) {
  EXPECT_EQ(Hex("", blocks()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex("abc", blocks()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", blocks()),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Hex(std::string(1000000, 'a'), blocks()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_P(Sha256Test, EveryLengthAndSplitAgreesWithPortable) {
  std::mt19937 random(1);
  std::string text(300, 0);
  for (char& c : text) c = static_cast<char>(random());
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);
    ASSERT_EQ(Hex(part, blocks()), Hex(part, Sha256BlocksPortable)) << size;
    uint8_t whole[kSha256Bytes], pieces[kSha256Bytes];
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    Sha256Of(bytes, size, blocks(), whole);
    Sha256 hash;
    Sha256Start(&hash, blocks());
    const size_t first = size == 0 ? 0 : random() % size;
    Sha256Update(&hash, bytes, first);
    Sha256Update(&hash, nullptr, 0);
    Sha256Update(&hash, bytes + first, size - first);
    Sha256Finish(&hash, pieces);
    ASSERT_EQ(std::vector<uint8_t>(whole, whole + 32), std::vector<uint8_t>(pieces, pieces + 32));
  }
}

TEST_P(Sha256Test, ValidatesABlob) {
  const test::Blob blob = test::MakeConvBlob({});
  const uint32_t mode = GetParam() ? OCTET_VERIFY_SHA_INSTRUCTIONS : OCTET_VERIFY_PORTABLE;
  EXPECT_EQ(octet_validate(blob.data(), blob.size(), mode).code, OCTET_OK);
  EXPECT_EQ(octet_validate(blob.data(), blob.size(), mode | OCTET_VERIFY_CONTENT).code, OCTET_OK);
  EXPECT_EQ(octet_validate(blob.data(), blob.size(), 3).code, OCTET_INVALID_ARGUMENT);
  test::Blob changed = blob;
  changed.back() ^= 1;
  EXPECT_EQ(octet_validate(changed.data(), changed.size(), mode).code, OCTET_CORRUPT);
  EXPECT_NE(octet_validate(changed.data(), changed.size(), OCTET_VERIFY_NONE).code, OCTET_CORRUPT);
}

INSTANTIATE_TEST_SUITE_P(Versions, Sha256Test, testing::Bool());

}  // namespace
}  // namespace octet
