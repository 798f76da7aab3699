// octet key and octet sign.
#include <unistd.h>

#include <memory>
#include <span>
#include <vector>

#include "converter/blobs/blob_file.h"
#include "converter/cli/commands.h"
#include "converter/cli/secret_key.h"
#include "converter/support/error.h"
#include "converter/write/edit.h"
#include "converter/write/write.h"
#include "ports/linux/output/output_file.h"
#include "runtime/format/signature.h"

namespace octet::cli {
namespace {

// A file that is not there yet, whole on the disk when this returns; a key is never overwritten.
void WriteNew(const std::string& path, const std::string& text, bool secret) {
  try {
    if (port::WriteNewFile(path, text, secret)) return;
  } catch (const port::WriteError& error) {
    Fail("{}: cannot be written: {}", path, error.why);
  }
  Fail("{}: exists already, and keys are not overwritten; name a new file", path);
}

std::string IdText(const port::PublicKey& key) {
  uint8_t id[8];
  KeyIdOf(key.data(), id);
  return port::KeyIdText(id);
}

int MakeKey(const std::string& path) {
  const SecretKey key;
  const std::string public_path = path + ".pub";
  // The public half first: where it is there already, no secret one is left lying about.
  WriteNew(public_path, port::PublicKeyText(key.PublicHalf()), false);
  try {
    WriteNew(path, key.Text(), true);
  } catch (...) {
    unlink(public_path.c_str());
    throw;
  }
  fmt::print("{}: secret, keep it safe; {}: public, for the boards; key {}\n", path, public_path,
             IdText(key.PublicHalf()));
  return kDone;
}

struct SignOptions {
  std::string blob, key, output;
};

int Sign(const SignOptions& options) {
  const std::string& output = options.output.empty() ? options.blob : options.output;
  const SecretKey key(options.key);
  const blobs::BlobFile file(options.blob);
  write::CheckWritable(output);
  blob::SignatureRecord record{};
  record.algorithm = blob::SignatureAlgorithm::kEd25519;
  KeyIdOf(key.PublicHalf().data(), record.key_id);
  const std::span<const uint8_t> section(reinterpret_cast<const uint8_t*>(&record), sizeof(record));
  // The digest covers the table with this section in it, and nothing of what the section holds.
  std::vector<uint8_t> blob =
      write::WithSection({file.data(), file.bytes()}, blob::SectionKind::kSignature, section);
  const SignedMessage message = MessageOf(reinterpret_cast<const blob::Header*>(blob.data()));
  key.Sign({reinterpret_cast<const uint8_t*>(&message), sizeof(message)}, record.signature);
  blob = write::WithSection(blob, blob::SectionKind::kSignature, section);
  write::SaveFile(output, blob);
  fmt::print("{}: {} bytes, signed with key {}\n", output, blob.size(), IdText(key.PublicHalf()));
  return kDone;
}

}  // namespace

void AddKey(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand("key", "make a key pair for signing blobs");
  auto path = std::make_shared<std::string>();
  command
      .Add("NEW.key", *path,
           "file for the secret half; the public half gets the same name with .pub")
      .Required();
  command.WhenChosen([=] { *run = [=] { return MakeKey(*path); }; });
}

void AddSign(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand("sign", "sign a blob; replaces an existing signature");
  auto options = std::make_shared<SignOptions>();
  command.Add("BLOB", options->blob, "the .octet file").Required();
  command.Add("--key", options->key, "the secret key that octet key made").Required();
  command.Add("-o,--output", options->output, "the signed blob (default: the same file)");
  command.WhenChosen([=] { *run = [=] { return Sign(*options); }; });
}

}  // namespace octet::cli
