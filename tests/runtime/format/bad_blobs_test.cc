// Every byte of a blob changed in every telling way, and every length cut, without a look at the
// hashes, so that only the rules can refuse it: each is refused, or runs within its arena (guard
// bytes here, ASan and UBSan in their build).
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>

#include "runtime/format/view.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr size_t kArenaLimitBytes = size_t{1}
                                    << 22;  // a larger claim is accepted, but not worth allocating

struct Counts {
  int refused = 0, ran = 0, huge = 0;
};

// Copies the bytes to the end of an allocation, so that a read behind them is seen.
void Try(const uint8_t* bytes, size_t size, Counts* counts) {
  const auto copy = std::unique_ptr<uint8_t[], void (*)(uint8_t*)>(
      static_cast<uint8_t*>(::operator new (size + 1, std::align_val_t{64})),
      [](uint8_t* p) { ::operator delete (p, std::align_val_t{64}); });
  std::memcpy(copy.get(), bytes, size);
  size_t arena_bytes = 0;
  const octet_status sized =
      octet_arena_bytes(copy.get(), size, OCTET_ISA_REFERENCE, 1, 0, &arena_bytes);
  const octet_status valid = octet_validate(copy.get(), size, OCTET_VERIFY_NONE);
  if (sized.code != OCTET_OK) {
    ASSERT_NE(valid.code, OCTET_OK) << "sized refuses, validate accepts";
  }
  if (valid.code != OCTET_OK) {
    ++counts->refused;
    return;
  }
  if (arena_bytes > kArenaLimitBytes) {
    ++counts->huge;
    return;
  }
  TestSession session(copy.get(), size, {.verify_hashes = OCTET_VERIFY_NONE});
  ASSERT_EQ(session.status().code, OCTET_OK) << "validate accepts, bind refuses";
  const std::vector<uint8_t> picture(7 * 5 * 3, 200);
  for (uint32_t plan = 0; plan < octet_plan_count(session.get()); ++plan) {
    ASSERT_EQ(octet_set_plan(session.get(), plan).code, OCTET_OK);
    octet_set_input_image(session.get(), 0, picture.data(), 7, 5, 3, 15);
    octet_run(session.get());
    for (uint32_t i = 0; i < octet_output_count(session.get()); ++i) session.Output(i);
    const size_t decode_bytes = octet_decode_bytes(session.get());
    if (decode_bytes != 0 && decode_bytes <= kArenaLimitBytes) {
      AlignedBytes memory(decode_bytes);
      octet_detection boxes[8];
      uint32_t found = 0;
      octet_detect(session.get(), 5, 7, memory.data(), boxes, 8, &found);
      ASSERT_LE(found, 8u);
      octet_class_score best[3];
      octet_classify(session.get(), memory.data(), best, 3, &found);
      uint8_t map[64];
      octet_segment(session.get(), memory.data(), map, sizeof(map));
      octet_text(session.get(), memory.data(), best, 3, &found);
    }
    for (uint32_t i = 0; i < octet_layer_count(session.get()); ++i) {
      octet_layer_info info;
      octet_layer(session.get(), i, &info);
      ASSERT_LT(std::strlen(info.name), size);
    }
  }
  for (uint32_t i = 0; i < octet_label_count(session.get()); ++i) {
    ASSERT_LT(std::strlen(octet_label(session.get(), i)), size);
  }
  session.ExpectGuardsIntact();
  ++counts->ran;
}

void ChangeEveryByte(const Blob& good, size_t begin, size_t end) {
  Counts counts;
  Blob blob = good;
  for (size_t at = begin; at < end; ++at) {
    const uint8_t before = good[at];
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff, ~before & 0xff}) {
      if (value == before) continue;
      blob[at] = static_cast<uint8_t>(value);
      SCOPED_TRACE(testing::Message() << "byte " << at << " set to " << value);
      Try(blob.data(), blob.size(), &counts);
      if (testing::Test::HasFatalFailure()) return;
    }
    blob[at] = before;
  }
  std::printf("bytes [%zu, %zu): %d refused, %d ran, %d with a huge arena\n", begin, end,
              counts.refused, counts.ran, counts.huge);
  EXPECT_GT(counts.refused + counts.ran, 0);
}

class BadBlobs : public testing::TestWithParam<int> {};  // parameter: section, -1 for the header

TEST_P(BadBlobs, EveryByteChanged) {
  const Blob good = MakeMixedBlob();
  ASSERT_EQ(octet_validate(good.data(), good.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK)
      << "at " << octet_validate(good.data(), good.size(), OCTET_VERIFY_PORTABLE).offset;
  const auto* header = reinterpret_cast<const blob::Header*>(good.data());
  if (GetParam() < 0) {
    ChangeEveryByte(good, 0, sizeof(blob::Header) + header->section_count * sizeof(blob::Section));
    return;
  }
  ASSERT_LT(GetParam(), static_cast<int>(header->section_count));
  const blob::Section* section = SectionAt(header, static_cast<uint32_t>(GetParam()));
  ChangeEveryByte(good, section->offset, section->offset + section->bytes);
}

INSTANTIATE_TEST_SUITE_P(Sections, BadBlobs, testing::Range(-1, 9));

TEST(BadBlobs, AllSectionsAreCovered) {
  const Blob good = MakeMixedBlob();
  EXPECT_EQ(reinterpret_cast<const blob::Header*>(good.data())->section_count, 9u);
}

// As it is cut, and with the header saying the shorter length: every length up to the end of the
// table and around each section's borders, each fifth one between.
TEST(BadBlobs, EveryLength) {
  const Blob good = MakeMixedBlob();
  const auto* header = reinterpret_cast<const blob::Header*>(good.data());
  std::set<size_t> lengths;
  const size_t tables = sizeof(blob::Header) + header->section_count * sizeof(blob::Section);
  for (size_t size = 0; size < good.size(); size += size < tables ? 1 : 5) lengths.insert(size);
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const blob::Section* section = SectionAt(header, i);
    for (const size_t border : {section->offset, section->offset + section->bytes}) {
      for (size_t size = border - 2; size <= border + 2; ++size) lengths.insert(size);
    }
  }
  lengths.erase(lengths.lower_bound(good.size()), lengths.end());
  for (const size_t size : lengths) {
    Blob cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_NE(octet_validate(cut.data(), size, OCTET_VERIFY_NONE).code, OCTET_OK) << size;
    if (size < sizeof(blob::Header)) continue;
    reinterpret_cast<blob::Header*>(cut.data())->file_bytes = static_cast<uint32_t>(size);
    ASSERT_NE(octet_validate(cut.data(), size, OCTET_VERIFY_NONE).code, OCTET_OK) << size;
  }
}

TEST(BadBlobs, ChangedPaddingIsSeen) {
  const Blob good = MakeMixedBlob();
  // Behind the section table, and behind the first section.
  const auto* header = reinterpret_cast<const blob::Header*>(good.data());
  const auto* first = reinterpret_cast<const blob::Section*>(good.data() + sizeof(blob::Header));
  for (uint32_t at : {header->section_table_offset + header->section_count * 64,
                      header->section_alignment - 1, first->offset + first->bytes}) {
    Blob blob = good;
    ASSERT_EQ(blob[at], 0) << at;
    blob[at] = 1;
    const octet_status status = octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE);
    EXPECT_EQ(status.code, OCTET_CORRUPT) << at;
    EXPECT_EQ(status.offset, at);
  }
}

TEST(BadBlobs, EveryChangedByteFailsTheHash) {
  const Blob good = MakeMixedBlob();
  const auto* header = reinterpret_cast<const blob::Header*>(good.data());
  Blob blob = good;
  const auto change = [&](size_t begin, size_t end) {
    for (size_t at = begin; at < end; at += 3) {
      blob[at] ^= 0x10;
      EXPECT_NE(octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK);
      blob[at] ^= 0x10;
    }
  };
  change(0, sizeof(blob::Header) + header->section_count * sizeof(blob::Section));
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const blob::Section* section = SectionAt(header, i);
    change(section->offset, section->offset + section->bytes);
  }
}

}  // namespace
}  // namespace octet::test
