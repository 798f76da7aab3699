#include "tests/runtime/slots/fake_storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/format/signature.h"

namespace octet::test {

FakeStorage::FakeStorage() {
  for (octet_area area = 0; area < 4; ++area) {
    live_[area].assign(area <= OCTET_AREA_STATE_1 ? OCTET_STATE_BYTES : kSlotBytes, 0xFF);
  }
  durable_ = live_;
}

bool FakeStorage::Step() {
  if (!dead_ && steps_ >= cut_after_) dead_ = true;
  ++steps_;
  return !dead_;
}

void FakeStorage::Tear(octet_area area, uint32_t begin, uint32_t end) {
  for (uint32_t at = begin; at < end; ++at) {
    if (torn_ == Torn::kGarbage) PutByte(area, at, static_cast<uint8_t>(random_()));
    if (torn_ == Torn::kErased) PutByte(area, at, 0xFF);
  }
}

octet_storage FakeStorage::port() {
  octet_storage port{};
  port.slot_bytes = kSlotBytes;
  port.context = this;
  port.read = [](void* context, octet_area area, uint32_t offset, void* bytes, uint32_t count) {
    auto* self = static_cast<FakeStorage*>(context);
    if (self->dead_ || self->fails_reads_) return -1;
    if (uint64_t{offset} + count > self->live_[area].size()) return 1;
    std::memcpy(bytes, self->live_[area].data() + offset, count);
    return 0;
  };
  port.erase = [](void* context, octet_area area) {
    auto* self = static_cast<FakeStorage*>(context);
    if (!self->Step() || self->fails_writes_) return -1;
    const auto end = static_cast<uint32_t>(self->live_[area].size());
    for (uint32_t at = 0; at < end; ++at) {
      if (!self->Step()) {
        self->Tear(area, at, end);
        return -1;
      }
      self->PutByte(area, at, 0xFF);
    }
    return 0;
  };
  port.write = [](void* context, octet_area area, uint32_t offset, const void* bytes,
                  uint32_t count) {
    auto* self = static_cast<FakeStorage*>(context);
    if (!self->Step() || self->fails_writes_) return -1;
    EXPECT_LE(uint64_t{offset} + count, self->live_[area].size());
    for (uint32_t i = 0; i < count; ++i) {
      if (!self->Step()) {
        self->Tear(area, offset + i, offset + count);
        return -1;
      }
      // Once after an erase, and nothing but what the erase left there.
      EXPECT_EQ(self->live_[area][offset + i], 0xFF) << area << " " << offset + i;
      self->PutByte(area, offset + i, static_cast<const uint8_t*>(bytes)[i]);
    }
    if (self->distorts_ && count > 7) self->live_[area][offset + 7] ^= 4;
    return 0;
  };
  port.sync = [](void* context, octet_area area) {
    auto* self = static_cast<FakeStorage*>(context);
    if (!self->Step() || self->fails_writes_) return -1;
    self->durable_[area] = self->live_[area];
    return 0;
  };
  port.map = [](void* context, octet_area area, uint32_t count) -> const void* {
    auto* self = static_cast<FakeStorage*>(context);
    if (self->dead_ || self->fails_reads_ || count > self->live_[area].size()) return nullptr;
    // A new copy: who still looks at the last one is found out.
    self->mapped_ = AlignedBytes(self->live_[area].begin(), self->live_[area].begin() + count);
    return self->mapped_.data();
  };
  return port;
}

void FakeStorage::CutAfter(uint64_t steps, Torn torn, uint32_t seed) {
  steps_ = 0;
  cut_after_ = steps;
  torn_ = torn;
  random_.seed(seed);
}

void FakeStorage::PowerOn() {
  if (dead_ && torn_ == Torn::kUnsynced) {
    constexpr size_t kSector = 32;
    for (octet_area area = 0; area < 4; ++area) {
      for (size_t at = 0; at < live_[area].size(); at += kSector) {
        if (random_() % 2 == 0) continue;
        std::copy_n(durable_[area].begin() + static_cast<ptrdiff_t>(at), kSector,
                    live_[area].begin() + static_cast<ptrdiff_t>(at));
      }
    }
  }
  durable_ = live_;
  dead_ = false;
  cut_after_ = UINT64_MAX;
  steps_ = 0;
}

namespace {

void SignWithTestKey(uint32_t key, const uint8_t* message, size_t bytes, uint8_t* key_id,
                     uint8_t* signature) {
  std::vector<uint8_t> text(message, message + bytes);
  text.push_back(static_cast<uint8_t>(key));
  Sha256Of(text.data(), text.size(), Sha256BlocksPortable, signature);
  Sha256Of(signature, 32, Sha256BlocksPortable, signature + 32);
  std::fill_n(key_id, 8, static_cast<uint8_t>(key));
}

}  // namespace

int VerifyWithTestKey(void* context, const uint8_t* key_id, const uint8_t* signature,
                      const uint8_t* message, size_t message_bytes) {
  uint8_t expected_id[8], expected[64];
  SignWithTestKey(*static_cast<const uint32_t*>(context), message, message_bytes, expected_id,
                  expected);
  return std::memcmp(key_id, expected_id, 8) == 0 && std::memcmp(signature, expected, 64) == 0;
}

size_t SignatureOffset(const Blob& blob) {
  const auto* header = reinterpret_cast<const blob::Header*>(blob.data());
  for (uint32_t i = 0; i < header->section_count; ++i) {
    if (SectionAt(header, i)->kind == blob::SectionKind::kSignature) {
      return SectionAt(header, i)->offset;
    }
  }
  return 0;
}

Blob MakeModel(const ModelSpec& spec) {
  BlobBuilder b;
  b.SetSectionAlignment(64);
  const uint32_t x = b.AddInput("x", {1, 1, 1, 16}, blob::ElementType::kInt8, 1, 0);
  const uint32_t y = b.AddTensor({1, 1, 1, 16}, blob::ElementType::kInt8, 1, 0);
  std::vector<int8_t> table(256);
  for (int q = -128; q < 128; ++q) {
    table[static_cast<size_t>(q + 128)] = static_cast<int8_t>(std::min(127, q + spec.id));
  }
  b.AddLayer(blob::Op::kUnary, {x}, y).table = b.AddTable(table);
  b.AddOutput("y", y);
  if (spec.key != 0) {
    b.AddSection(blob::SectionKind::kSignature,
                 std::vector<uint8_t>(sizeof(blob::SignatureRecord)));
  }
  Blob blob = b.Build();
  auto* header = reinterpret_cast<blob::Header*>(blob.data());
  header->security_counter = spec.counter;
  std::copy(spec.board.begin(), spec.board.end(), header->board);
  Rehash(blob);
  if (spec.key != 0) {
    auto* record = reinterpret_cast<blob::SignatureRecord*>(blob.data() + SignatureOffset(blob));
    record->algorithm = blob::SignatureAlgorithm::kEd25519;
    const SignedMessage message = MessageOf(header);
    SignWithTestKey(spec.key, reinterpret_cast<const uint8_t*>(&message), sizeof(message),
                    record->key_id, record->signature);
    Rehash(blob);
  }
  EXPECT_LE(blob.size(), kSlotBytes);
  return blob;
}

octet_slots_config TestConfig() {
  static uint32_t trusted = 1;
  octet_slots_config config{};
  config.verify_signature = VerifyWithTestKey;
  config.verify_context = &trusted;
  config.board = "board";
  return config;
}

octet_slots_code Stage(octet_slots* slots, const Blob& blob, uint32_t chunk_bytes) {
  octet_slots_code code = octet_slots_stage_begin(slots, static_cast<uint32_t>(blob.size()));
  for (size_t at = 0; at < blob.size() && code == OCTET_SLOTS_OK; at += chunk_bytes) {
    const auto count = static_cast<uint32_t>(std::min<size_t>(chunk_bytes, blob.size() - at));
    code = octet_slots_stage_write(slots, blob.data() + at, count);
  }
  return code == OCTET_SLOTS_OK ? octet_slots_stage_finish(slots) : code;
}

octet_slots_info Describe(const octet_slots& slots) {
  octet_slots_info info{};
  octet_slots_describe(&slots, &info);
  return info;
}

Booted OpenAndBoot(octet_slots* slots, FakeStorage* storage, const octet_slots_config& config) {
  Booted booted;
  const octet_storage port = storage->port();
  booted.opened = octet_slots_open(slots, &port, &config);
  if (booted.opened != OCTET_SLOTS_OK) return booted;
  booted.code = octet_slots_boot(slots, &booted.boot);
  if (booted.code == OCTET_SLOTS_OK) {
    const auto* bytes = static_cast<const uint8_t*>(booted.boot.blob);
    booted.blob.assign(bytes, bytes + booted.boot.blob_bytes);
  }
  return booted;
}

bool Is(const Booted& booted, const Blob& blob) {
  return booted.opened == OCTET_SLOTS_OK && booted.code == OCTET_SLOTS_OK &&
         std::equal(booted.blob.begin(), booted.blob.end(), blob.begin(), blob.end());
}

FakeStorage StoreWith(const Blob& blob, const Blob* before) {
  FakeStorage storage;
  for (const Blob* model : {before, &blob}) {
    if (model == nullptr) continue;
    octet_slots slots;
    const octet_storage port = storage.port();
    const octet_slots_config config = TestConfig();
    EXPECT_EQ(octet_slots_open(&slots, &port, &config), OCTET_SLOTS_OK);
    EXPECT_EQ(Stage(&slots, *model), OCTET_SLOTS_OK);
    EXPECT_EQ(octet_slots_activate(&slots), OCTET_SLOTS_OK);
    EXPECT_TRUE(Is(OpenAndBoot(&slots, &storage, config), *model));
    EXPECT_EQ(octet_slots_confirm(&slots), OCTET_SLOTS_OK);
  }
  storage.PowerOn();
  return storage;
}

}  // namespace octet::test
