// A temporal section is refused, or does no harm.
#include "runtime/temporal/from_blob.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/runtime/temporal/temporal_fixture.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::TemporalLayerRecord;
using blob::TemporalRecord;

octet_code Read(const Blob& blob) {
  size_t bytes = 0;
  const octet_code code = octet_temporal_bytes(blob.data(), blob.size(), &bytes).code;
  EXPECT_TRUE(code == OCTET_OK || bytes == 0);
  AlignedBytes memory(1 << 16);
  octet_temporal* temporal = nullptr;
  const octet_status started =
      octet_temporal_init(memory.data(), memory.size(), blob.data(), blob.size(), &temporal);
  if (code != OCTET_OK) {
    EXPECT_EQ(started.code, code);
  }
  return code;
}

octet_code Read(const std::function<void(TemporalLayerRecord&)>& change) {
  TemporalLayerRecord record = SomeFilter();
  change(record);
  return Read(MakeFiltered({SectionOf({record})}));
}

TEST(TemporalFromBlob, RefusesRecordsOutOfBounds) {
  using R = TemporalLayerRecord;
  EXPECT_EQ(Read([](R&) {}), OCTET_OK);
  const auto fails = [](const std::function<void(R&)>& change) {
    EXPECT_EQ(Read(change), OCTET_MALFORMED);
  };
  fails([](R& r) { r.plan = 3; });
  fails([](R& r) { r.plan = 2; });  // FP16
  fails([](R& r) { r.layer = 2; });
  fails([](R& r) { r.layer = blob::kNone; });
  fails([](R& r) { r.bytes = kElements - 1; });
  fails([](R& r) { r.bytes = 0; });
  fails([](R& r) { r.frames = 1; });
  fails([](R& r) { r.frames = 11; });
  fails([](R& r) { r.cut = 0; });
  fails([](R& r) { r.noise = std::nanf(""); });
  fails([](R& r) { r.weights[1] = 1; });  // of a frame that it does not reach
  fails([](R& r) { r.weights[0] = 32768; });
  fails([](R& r) { r.gate = 0; });
  fails([](R& r) { r.gate = 256; });
  fails([](R& r) {
    r.frames = 3;
    r.weights[0] = r.weights[1] = 16385;
  });
  EXPECT_EQ(Read([](R& r) {
              r.frames = 3;
              r.weights[0] = r.weights[1] = 16384;
            }),
            OCTET_OK);
  EXPECT_EQ(Read([](R& r) { r.frames = 10; }), OCTET_OK);
  EXPECT_EQ(Read([](R& r) { r.weights[0] = 32767; }), OCTET_OK);
  EXPECT_EQ(Read([](R& r) { r.plan = 1, r.layer = 1; }), OCTET_OK);
}

TEST(TemporalFromBlob, RefusesWhatIsNoSection) {
  const std::vector<uint8_t> good = SectionOf({SomeFilter()});
  const auto with = [&good](const std::function<void(TemporalRecord&)>& change, size_t cut = 0) {
    std::vector<uint8_t> section = good;
    TemporalRecord record;
    std::memcpy(&record, section.data(), sizeof(record));
    change(record);
    std::memcpy(section.data(), &record, sizeof(record));
    section.resize(section.size() - cut);
    return Read(MakeFiltered({section}));
  };
  EXPECT_EQ(with([](TemporalRecord&) {}), OCTET_OK);
  EXPECT_EQ(with([](TemporalRecord&) {}, 1), OCTET_MALFORMED);
  EXPECT_EQ(with([](TemporalRecord&) {}, good.size() - 15), OCTET_MALFORMED);
  EXPECT_EQ(with([](TemporalRecord& r) { r.record_bytes = 15; }), OCTET_MALFORMED);
  EXPECT_EQ(with([](TemporalRecord& r) { r.layer_count = 0; }), OCTET_MALFORMED);
  EXPECT_EQ(with([](TemporalRecord& r) { r.layer_count = 2; }), OCTET_MALFORMED);
  EXPECT_EQ(with([](TemporalRecord& r) { r.layers_offset = 12; }), OCTET_MALFORMED);
  EXPECT_EQ(with([](TemporalRecord& r) { r.layers_offset = 18; }), OCTET_MALFORMED);
  EXPECT_EQ(with([](TemporalRecord& r) { r.layers_offset = 0xFFFFFFF0u; }), OCTET_MALFORMED);
  EXPECT_EQ(Read(MakeFiltered({good, good})), OCTET_MALFORMED);
  EXPECT_EQ(Read(MakeFiltered({SectionOf({SomeFilter(), SomeFilter()})})), OCTET_MALFORMED)
      << "one tensor twice";
  TemporalLayerRecord other = SomeFilter();
  other.layer = 1;
  EXPECT_EQ(Read(MakeFiltered({SectionOf({SomeFilter(), other})})), OCTET_OK);
  // Seventeen are one too many, whatever they are.
  EXPECT_EQ(Read(MakeFiltered({SectionOf(std::vector<TemporalLayerRecord>(17, other))})),
            OCTET_MALFORMED);
  const Blob none = MakeFiltered({});
  size_t bytes = 1;
  EXPECT_EQ(octet_temporal_bytes(none.data(), none.size(), &bytes).code, OCTET_OK);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(octet_temporal_bytes(none.data(), 100, &bytes).code, OCTET_TRUNCATED);
  EXPECT_EQ(octet_temporal_bytes(none.data(), none.size(), nullptr).code, OCTET_INVALID_ARGUMENT);
}

TEST(TemporalFromBlob, MemoryIsAskedForToTheByte) {
  const Blob blob = MakeFiltered({SectionOf({SomeFilter()})});
  size_t bytes = 0;
  ASSERT_EQ(octet_temporal_bytes(blob.data(), blob.size(), &bytes).code, OCTET_OK);
  AlignedBytes memory(bytes + 64, 0xAB);
  octet_temporal* temporal = nullptr;
  const auto start = [&](uint8_t* at, size_t count, const Blob& from) {
    return octet_temporal_init(at, count, from.data(), from.size(), &temporal).code;
  };
  EXPECT_EQ(start(memory.data(), bytes - 1, blob), OCTET_ARENA_TOO_SMALL);
  EXPECT_EQ(start(memory.data() + 8, bytes, blob), OCTET_MISALIGNED);
  EXPECT_EQ(start(nullptr, bytes, blob), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(start(memory.data(), bytes, MakeFiltered({})), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_temporal_init(memory.data(), bytes, blob.data(), blob.size(), nullptr).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(start(memory.data(), bytes, blob), OCTET_OK);
  EXPECT_EQ(memory[bytes], 0xAB);
}

// Every bit of the section turned: refused, or it runs within its memory.
TEST(TemporalFromBlob, EveryChangedBitIsRefusedOrHarmless) {
  TemporalLayerRecord long_filter = SomeFilter();
  long_filter.frames = 4;
  long_filter.weights[0] = long_filter.weights[1] = long_filter.weights[2] = 8000;
  long_filter.layer = 1;
  const std::vector<uint8_t> good = SectionOf({SomeFilter(), long_filter});
  const Blob clean = MakeFiltered({});
  size_t refused = 0, harmless = 0;
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::vector<uint8_t> section = good;
    section[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    const Blob blob = MakeFiltered({section});
    // An older runtime, and one that is not asked, does not look at it.
    ASSERT_EQ(octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK);
    size_t bytes = 0;
    const octet_status status = octet_temporal_bytes(blob.data(), blob.size(), &bytes);
    if (status.code != OCTET_OK) {
      EXPECT_EQ(status.code, OCTET_MALFORMED);
      EXPECT_GT(status.offset, 0u);
      ++refused;
      continue;
    }
    ++harmless;
    ASSERT_LT(bytes, 1u << 16);
    AlignedBytes memory(bytes + 64, 0xCD);
    octet_temporal* temporal = nullptr;
    ASSERT_EQ(octet_temporal_init(memory.data(), bytes, blob.data(), blob.size(), &temporal).code,
              OCTET_OK);
    TestSession session(blob, {});
    for (int frame = 0; frame < 12; ++frame) {
      session.SetInput(0, std::vector<float>(kElements, static_cast<float>(frame * 20 - 120)));
      for (uint32_t layer = 0; layer < 2; ++layer) {
        ASSERT_EQ(octet_run_layer(session.get(), layer).code, OCTET_OK);
        octet_temporal_apply(temporal, session.get(), layer + 1);
      }
    }
    session.ExpectGuardsIntact();
    for (size_t i = bytes; i < memory.size(); ++i) ASSERT_EQ(memory[i], 0xCD);
  }
  EXPECT_GT(refused, 300u);
  EXPECT_GT(harmless, 100u);  // weights, cuts, gates, noise and what is reserved
}

}  // namespace
}  // namespace octet::test
