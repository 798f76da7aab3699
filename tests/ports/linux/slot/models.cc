#include "tests/ports/linux/slot/models.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime/format/golden.h"
#include "runtime/format/product.h"
#include "runtime/format/signature.h"

#if defined(OCTET_HAS_SODIUM)
#include <sodium.h>
#endif

namespace octet::test {
namespace {

#if defined(OCTET_HAS_SODIUM)
void KeyPair(int key, uint8_t public_key[32], uint8_t secret[64]) {
  uint8_t seed[32];
  std::fill_n(seed, 32, static_cast<uint8_t>(key));
  crypto_sign_seed_keypair(public_key, secret, seed);
}
#endif

// The output is min(127, q + id) for the input q = 0, 1, ..., 15.
std::vector<uint8_t> GoldenSection(int id, bool right) {
  blob::GoldenRecord record{};
  record.vector_count = record.input_count = record.output_count = record.plan_count = 1;
  record.inputs_offset = sizeof(record);
  record.digests_offset = record.inputs_offset + sizeof(blob::GoldenInput);
  blob::GoldenInput input{};
  input.kind = blob::GoldenKind::kValues;
  input.offset = record.digests_offset + kSha256Bytes;
  input.bytes = 16 * sizeof(float);
  std::vector<uint8_t> section(input.offset + input.bytes);
  uint8_t output[16];
  for (int i = 0; i < 16; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(section.data() + input.offset + sizeof(float) * static_cast<size_t>(i), &value,
                sizeof(value));
    output[i] = static_cast<uint8_t>(std::min(127, i + id + (right ? 0 : 1)));
  }
  std::memcpy(section.data(), &record, sizeof(record));
  std::memcpy(section.data() + record.inputs_offset, &input, sizeof(input));
  Sha256Of(output, 16, Sha256BlocksPortable, section.data() + record.digests_offset);
  return section;
}

}  // namespace

port::PublicKey PublicKeyOf(int key) {
  port::PublicKey public_key{};
#if defined(OCTET_HAS_SODIUM)
  uint8_t secret[64];
  KeyPair(key, public_key.data(), secret);
#else
  public_key.fill(static_cast<uint8_t>(key));
#endif
  return public_key;
}

Blob MakeStored(const StoredModel& model) {
  BlobBuilder b;
  b.SetSectionAlignment(64);
  const uint32_t x =
      b.AddInput("x", {1, 1, 1, model.width}, blob::ElementType::kInt8, 1, model.zero_point);
  const uint32_t y =
      b.AddTensor({1, 1, 1, model.width}, blob::ElementType::kInt8, 1, model.zero_point);
  std::vector<int8_t> table(256);
  for (int q = -128; q < 128; ++q) {
    table[static_cast<size_t>(q + 128)] = static_cast<int8_t>(std::min(127, q + model.id));
  }
  b.AddLayer(blob::Op::kUnary, {x}, y).table = b.AddTable(table);
  for (uint32_t i = 0; i < model.output_count; ++i) b.AddOutput("y" + std::to_string(i), y);
  for (const std::string& label : model.labels) b.AddLabel(label);
  if (model.vectors != Vectors::kNone) {
    b.AddSection(blob::SectionKind::kGolden,
                 GoldenSection(model.id, model.vectors == Vectors::kRight));
  }
  if (!model.product.empty()) {
    b.AddSection(blob::kProductSection, {model.product.begin(), model.product.end()});
  }
  if (model.extra_bytes != 0) {
    b.AddSection(blob::SectionKind::kReport, std::vector<uint8_t>(model.extra_bytes, 'r'));
  }
  if (model.key != 0) {
    b.AddSection(blob::SectionKind::kSignature,
                 std::vector<uint8_t>(sizeof(blob::SignatureRecord)));
  }
  Blob blob = b.Build();
  auto* header = reinterpret_cast<blob::Header*>(blob.data());
  header->security_counter = model.counter;
  std::copy(model.board.begin(), model.board.end(), header->board);
  Rehash(blob);
#if defined(OCTET_HAS_SODIUM)
  if (model.key != 0) {
    blob::SignatureRecord record{};
    record.algorithm = blob::SignatureAlgorithm::kEd25519;
    uint8_t public_key[32], secret[64];
    KeyPair(model.key, public_key, secret);
    KeyIdOf(public_key, record.key_id);
    const SignedMessage message = MessageOf(header);
    crypto_sign_detached(record.signature, nullptr, reinterpret_cast<const uint8_t*>(&message),
                         sizeof(message), secret);
    std::memcpy(blob.data() + blob.size() - sizeof(record), &record, sizeof(record));
    Rehash(blob);
  }
#endif
  return blob;
}

void StoreFolder::SetUp() {
  std::string pattern = (std::filesystem::temp_directory_path() / "octet-slot-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  std::filesystem::create_directory(folder_ / "store");
}

void StoreFolder::TearDown() {
  std::filesystem::remove_all(folder_);
}

void StoreFolder::WriteText(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

void StoreFolder::WriteBlob(const std::string& name, const Blob& blob) const {
  WriteText(name, std::string(blob.begin(), blob.end()));
}

Blob StoreFolder::ReadBlob(const std::string& path) const {
  std::ifstream file(path, std::ios::binary);
  return Blob(std::istreambuf_iterator<char>(file), {});
}

port::SlotAnswer StoreFolder::Stage(port::SlotStore* store, const Blob& blob) {
  size_t done = 0;
  return store->Stage([&](void* bytes, size_t count) {
    const size_t step = std::min(count, blob.size() - done);
    std::memcpy(bytes, blob.data() + done, step);
    done += step;
    return step;
  });
}

void StoreFolder::Install(port::SlotStore* store, const Blob& blob) {
  const port::SlotAnswer staged = Stage(store, blob);
  ASSERT_TRUE(staged) << staged.why;
  const port::SlotAnswer active = store->Activate();
  ASSERT_TRUE(active) << active.why;
  port::SlotChoice model;
  ASSERT_TRUE(store->Boot(&model));
  ASSERT_TRUE(model.on_trial);
  ASSERT_TRUE(store->Confirm());
}

}  // namespace octet::test
