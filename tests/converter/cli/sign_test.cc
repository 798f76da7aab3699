// octet key and octet sign: a signature covers the whole blob, and nothing else changes.
#include <sodium.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "octet/octet.h"
#include "octet/slots.h"
#include "ports/linux/file.h"
#include "ports/linux/slot/key.h"
#include "runtime/format/signature.h"
#include "tests/converter/cli/cli_support.h"
#include "tests/support/blob_builder.h"

namespace octet::test {
namespace {

class Sign : public Cli {
 protected:
  void MakeBlob(const std::string& align = "4096") const {
    const Result result = Convert("m.onnx", {"--section-align", align});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  void MakeKey(const std::string& name) const {
    const Result result = Octet({"key", Path(name)});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  Blob Load(const std::string& name) const {
    const std::string text = ReadText(name);
    return Blob(text.begin(), text.end());
  }
  // As octet_slots asks.
  bool IsSigned(const Blob& blob, const std::string& public_key) const {
    if (octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code != OCTET_OK) {
      return false;
    }
    BlobView view;
    if (!IsOk(ViewSections(blob.data(), blob.size(), &view))) return false;
    const blob::SignatureRecord* record = FindSignature(view);
    if (record == nullptr) return false;
    std::vector<port::PublicKey> keys = {port::ReadPublicKey(Path(public_key))};
    const SignedMessage message = MessageOf(view.header);
    return port::VerifySignature(&keys, record->key_id, record->signature,
                                 reinterpret_cast<const uint8_t*>(&message), sizeof(message)) == 1;
  }
};

TEST_F(Sign, KeysAreTwoFilesThatNothingOverwrites) {
  const Result made = Octet({"key", Path("k")});
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string secret = ReadText("k"), shown = ReadText("k.pub");
  EXPECT_EQ(secret.rfind("octet-ed25519-secret ", 0), 0u);
  EXPECT_EQ(secret.size(), 21u + 64 + 1);
  EXPECT_EQ(shown.rfind("octet-ed25519-public ", 0), 0u);
  struct stat info;
  ASSERT_EQ(stat(Path("k").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  // The pair belongs together, by libsodium's own account.
  uint8_t seed[32], expected_public[32], expected_secret[64];
  ASSERT_EQ(sodium_hex2bin(seed, 32, secret.data() + 21, 64, nullptr, nullptr, nullptr), 0);
  crypto_sign_seed_keypair(expected_public, expected_secret, seed);
  const port::PublicKey key = port::ReadPublicKey(Path("k.pub"));
  EXPECT_TRUE(std::equal(key.begin(), key.end(), expected_public));

  ExpectRefused(Octet({"key", Path("k")}), "exists already");
  WriteText("other.pub", "");
  ExpectRefused(Octet({"key", Path("other")}), "other.pub: exists already");
  EXPECT_NE(stat(Path("other").c_str(), &info), 0);
  WriteText("third", "");
  ExpectRefused(Octet({"key", Path("third")}), "third: exists already");
  EXPECT_NE(stat(Path("third.pub").c_str(), &info), 0) << "both or none";
  ExpectRefused(Octet({"key", Path("no/where")}), "cannot be written");
  EXPECT_EQ(ReadText("k"), secret);
  MakeKey("k2");
  EXPECT_NE(ReadText("k2"), secret);
}

TEST_F(Sign, AddsOneSectionAndNothingElseChanges) {
  for (const std::string align : {"4096", "64"}) {
    MakeBlob(align);
    MakeKey("k" + align);
    const Blob before = Load("out.octet");
    const Result result =
        Octet({"sign", Path("out.octet"), "--key", Path("k" + align), "-o", Path("signed")});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(Load("out.octet"), before);
    const Blob after = Load("signed");
    EXPECT_TRUE(IsSigned(after, "k" + align + ".pub"));
    BlobView old_view, new_view;
    ASSERT_TRUE(IsOk(ViewSections(before.data(), before.size(), &old_view)));
    ASSERT_TRUE(IsOk(ViewSections(after.data(), after.size(), &new_view)));
    ASSERT_EQ(new_view.header->section_count, old_view.header->section_count + 1);
    // In front, where it can be looked at before the rest has come.
    const blob::Section* signature = SectionAt(new_view.header, 0);
    ASSERT_EQ(signature->kind, blob::SectionKind::kSignature);
    EXPECT_LE(signature->offset + signature->bytes, OCTET_FRONT_BYTES);
    for (uint32_t i = 0; i < old_view.header->section_count; ++i) {
      const blob::Section *a = SectionAt(old_view.header, i),
                          *b = SectionAt(new_view.header, i + 1);
      ASSERT_EQ(a->kind, b->kind);
      ASSERT_EQ(a->bytes, b->bytes);
      EXPECT_EQ(std::memcmp(before.data() + a->offset, after.data() + b->offset, a->bytes), 0);
      EXPECT_EQ(std::memcmp(a->sha256, b->sha256, 32), 0);
    }
    EXPECT_EQ(new_view.header->security_counter, old_view.header->security_counter);
    EXPECT_EQ(new_view.header->section_alignment, old_view.header->section_alignment);
  }
}

TEST_F(Sign, SignedOnceMoreItIsTheSameFileAndAnotherKeyTakesItsPlace) {
  MakeBlob();
  MakeKey("k");
  MakeKey("l");
  ASSERT_EQ(Octet({"sign", Path("out.octet"), "--key", Path("k")}).status, 0);
  const Blob once = Load("out.octet");
  EXPECT_TRUE(IsSigned(once, "k.pub"));
  EXPECT_FALSE(IsSigned(once, "l.pub"));
  ASSERT_EQ(Octet({"sign", Path("out.octet"), "--key", Path("k")}).status, 0);
  EXPECT_EQ(Load("out.octet"), once);
  ASSERT_EQ(Octet({"sign", Path("out.octet"), "--key", Path("l")}).status, 0);
  EXPECT_EQ(Load("out.octet").size(), once.size());
  EXPECT_TRUE(IsSigned(Load("out.octet"), "l.pub"));
  EXPECT_FALSE(IsSigned(Load("out.octet"), "k.pub"));
}

// Whatever is changed, and hashed anew: all but the word that the record reserves.
TEST_F(Sign, CoversEveryByte) {
  MakeBlob("64");
  MakeKey("k");
  ASSERT_EQ(Octet({"sign", Path("out.octet"), "--key", Path("k")}).status, 0);
  const Blob good = Load("out.octet");
  ASSERT_TRUE(IsSigned(good, "k.pub"));
  const size_t record = SectionAt(reinterpret_cast<const blob::Header*>(good.data()), 0)->offset;
  for (size_t at = 0; at < good.size(); at += at < 2048 ? 1 : 97) {
    if (at >= record + 4 && at < record + 8) continue;
    Blob changed = good;
    changed[at] ^= static_cast<uint8_t>(1 << at % 8);
    EXPECT_FALSE(IsSigned(changed, "k.pub")) << at;
    Rehash(changed);
    EXPECT_EQ(IsSigned(changed, "k.pub"), changed == good) << at;
  }
  // The signature itself, all of it.
  for (size_t at = record; at < record + sizeof(blob::SignatureRecord); ++at) {
    if (at >= record + 4 && at < record + 8) continue;
    Blob changed = good;
    changed[at] ^= 1;
    Rehash(changed);
    EXPECT_FALSE(IsSigned(changed, "k.pub")) << at;
  }
}

TEST_F(Sign, WhoSigned) {
  MakeBlob();
  MakeKey("k");
  EXPECT_NE(Octet({"inspect", Path("out.octet"), "--json"}).out.find("\"signature\": null"),
            std::string::npos);
  const Result made = Octet({"sign", Path("out.octet"), "--key", Path("k")});
  const port::PublicKey key = port::ReadPublicKey(Path("k.pub"));
  uint8_t digest[32];
  Sha256Of(key.data(), key.size(), Sha256BlocksPortable, digest);
  const std::string id = port::KeyIdText(digest);
  EXPECT_NE(made.out.find("signed with key " + id), std::string::npos) << made.out;
  EXPECT_NE(Octet({"inspect", Path("out.octet"), "--json"}).out.find("\"key_id\": \"" + id + "\""),
            std::string::npos);
  EXPECT_NE(Octet({"inspect", Path("out.octet")}).out.find("signed with key " + id + "\n"),
            std::string::npos);
}

TEST_F(Sign, Refusals) {
  MakeBlob();
  MakeKey("k");
  const std::string blob = Path("out.octet");
  const Blob before = Load("out.octet");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& cause) {
    const Result result = Octet(arguments);
    EXPECT_EQ(result.status, 2) << cause;
    EXPECT_NE(result.err.find(cause), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(Load("out.octet"), before);
  };
  refused({"sign", blob, "--key", Path("none")},
          "none: cannot be opened; make a key: octet key NEW.key");
  refused({"sign", blob, "--key", Path("k.pub")}, "the public half");
  refused({"sign", blob}, "--key");
  refused({"sign", Path("m.onnx"), "--key", Path("k")}, "an ONNX model, not a blob");
  for (const std::string& text :
       {std::string(), ReadText("k") + "\n", ReadText("k").substr(1),
        ReadText("k").substr(0, 84) + "\n", ReadText("k").substr(0, 84) + "g\n"}) {
    WriteText("bad", text);
    refused({"sign", blob, "--key", Path("bad")},
            "bad: not a secret key; make one: octet key NEW.key");
  }
  for (const std::string& text :
       {ReadText("k"), ReadText("k.pub") + "\n", ReadText("k.pub").substr(0, 84) + "G\n"}) {
    WriteText("bad.pub", text);
    EXPECT_THROW(port::ReadPublicKey(Path("bad.pub")), port::InputError);
  }
}

}  // namespace
}  // namespace octet::test
