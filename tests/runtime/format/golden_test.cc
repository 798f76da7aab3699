// The byte layout, pinned by bytes written here one by one from FORMAT.md, without the structs of
// blob.h: a blob with one table layer, float input [1,1,1,4] -> output [1,4]. Its hashes come from
// Python's hashlib.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/support/session.h"

namespace octet::test {
namespace {

class Writer {
 public:
  explicit Writer(size_t bytes) : bytes_(bytes) {}
  Writer& At(size_t offset) {
    at_ = offset;
    return *this;
  }
  Writer& U8(unsigned v) {
    bytes_[at_++] = static_cast<uint8_t>(v);
    return *this;
  }
  Writer& U16(unsigned v) { return U8(v & 0xFF).U8(v >> 8); }
  Writer& U32(uint32_t v) { return U16(v & 0xFFFF).U16(v >> 16); }
  Writer& Text(const char* text) {
    while (*text != 0) U8(static_cast<unsigned char>(*text++));
    return *this;
  }
  Writer& Hex(const std::string& hex) {
    for (size_t i = 0; i < hex.size(); i += 2) {
      U8(static_cast<unsigned>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return *this;
  }
  const Blob& bytes() const { return bytes_; }

 private:
  Blob bytes_;
  size_t at_ = 0;
};

constexpr uint32_t kOne = 0x3F800000;  // 1.0f
constexpr uint32_t kNoData = 0xFFFFFFFF;

Blob GoldenBytes() {
  Writer w(0x4100);
  // Header.
  w.At(0).U8(0x89).Text("OCT\r\n").U8(0x1A).U8('\n');
  w.U16(2).U16(0);                // version
  w.U32(128).U32(0x4100).U32(4);  // header bytes, file bytes, sections
  w.U32(128).U32(64);             // section table, bytes of an entry
  w.At(80).U32(4096);             // section alignment
  // Section table: kind, index, offset, bytes.
  w.At(128).U32(1).U32(0).U32(0x1000).U32(0x1D8);
  w.At(192).U32(2).U32(0).U32(0x2000).U32(0x118);
  w.At(256).U32(6).U32(0).U32(0x3000).U32(10);
  w.At(320).U32(5).U32(0).U32(0x4000).U32(256);
  // Model section: record, input at 0x40, output at 0xC0, plan at 0x100, plan_io at 0x180, part at
  // 0x1B8.
  w.At(0x1000).U32(1).U32(0);
  w.U32(1).U32(0x40).U32(1).U32(0xC0).U32(1).U32(0x100).U32(3).U32(0x180).U32(1).U32(0x1B8);
  w.At(0x1040).U32(1).U32(4).U32(1).U32(1).U32(1).U32(4);
  w.At(0x1068).U32(4).U32(4).U32(4).U32(1);  // strides
  w.At(0x10C0).U32(1).U32(2).U32(1).U32(4);
  w.At(0x10E8).U32(4);  // element count
  w.At(0x1100).U32(3).U32(0).U32(16).U32(0).U32(
      1);                             // name, precision, arena, first input, first range
  w.U32(1).U32(2);                    // layers, tensors
  w.At(0x1180).U32(0).U32(0).U32(1);  // input tensor; first part, part count
  w.At(0x11B8).U32(1).U32(0).U32(4).U32(4).U32(4).U32(1);
  // Plan section: tensors at 0x20, layer at 0x80, operand at 0x110.
  w.At(0x2000).U32(2).U32(0x20).U32(1).U32(0x80).U32(1).U32(0x110);
  w.At(0x2020).U32(1).U8(1).U8(0).U16(0).U32(kOne).U32(1).U32(1).U32(1).U32(4);
  w.U32(0).U32(4).U32(0xFFFFFFFF).U32(0);
  w.At(0x2050).U32(1).U8(1).U8(0).U16(0).U32(kOne).U32(1).U32(1).U32(1).U32(4);
  w.U32(0).U32(4).U32(0).U32(1);  // in place of the input
  w.At(0x2080).U16(6).U8(0).U8(0).U32(8).U32(0).U32(1).U32(1);
  w.At(0x20A0).U32(kNoData).U32(0).U32(kNoData).U32(0).U32(0).U32(256).U32(kNoData).U32(0);
  w.At(0x2110).U32(0);
  // Strings: "", "x", "int8", "t".
  w.At(0x3001).Text("x").U8(0).Text("int8").U8(0).Text("t");
  // Table: q -> -q, with 127 for -128.
  w.At(0x4000);
  for (int q = -128; q < 128; ++q) w.U8(static_cast<unsigned>(q == -128 ? 127 : -q) & 0xFF);
  // Hashes of the four sections, then of header and table.
  w.At(160).Hex("8d4045cf5e3eb325f211152f1c9bb21d690cea9b33ff1ef2005e988ef48bed24");
  w.At(224).Hex("728045967ee99c7b65d4b7303c5110044d001e410240cc2f0b90c665359d418d");
  w.At(288).Hex("22560b5c873d78c7412534d812905ee2d959a7c13ce5f7e81258d07d6d3ff3db");
  w.At(352).Hex("400a9df599a0b45d271891d49440fc0c50f2370d8e2024482ec3a323d253d4ea");
  w.At(96).Hex("06cc2190c59a9340eb6108c48c21c2a08ad7af37563b8ec8f55222947e04f6dc");
  return w.bytes();
}

TEST(Golden, BytesByHandAreABlob) {
  const Blob blob = GoldenBytes();
  const octet_status status = octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE);
  EXPECT_EQ(status.code, OCTET_OK) << octet_code_name(status.code) << " at " << status.offset;
}

TEST(Golden, AndTheyRun) {
  const Blob blob = GoldenBytes();
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(blob, {.isa = isa});
    ASSERT_EQ(session.status().code, OCTET_OK);
    session.SetInput(0, {-200.0f, -3.0f, 0.4f, 5.5f});
    octet_run(session.get());
    EXPECT_EQ(session.Output(0), (std::vector<float>{127.0f, 3.0f, 0.0f, -6.0f}));
    EXPECT_STREQ(octet_plan_name(session.get(), 0), "int8");
    octet_layer_info layer;
    octet_layer(session.get(), 0, &layer);
    EXPECT_STREQ(layer.name, "t");
    EXPECT_STREQ(layer.op, "unary");
  }
}

// Whoever changes the layout has to change the version: the same bytes must be read the same way
// for years.
TEST(Golden, OtherVersionsAndFeatures) {
  const auto code_with = [](size_t at, uint8_t value) {
    Blob blob = GoldenBytes();
    blob[at] = value;
    Rehash(blob);
    return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code;
  };
  EXPECT_EQ(code_with(8, 1), OCTET_UNSUPPORTED_VERSION);  // major
  EXPECT_EQ(code_with(10, 7), OCTET_OK);                  // minor
  EXPECT_EQ(code_with(8, 3), OCTET_UNSUPPORTED_VERSION);
  EXPECT_EQ(code_with(32, 2), OCTET_UNSUPPORTED_VERSION);  // bit 1, of no meaning
  EXPECT_EQ(code_with(39, 1), OCTET_UNSUPPORTED_VERSION);  // an unknown required feature
  EXPECT_EQ(code_with(47, 1), OCTET_OK);                   // an unknown optional feature
  EXPECT_EQ(code_with(0, 0), OCTET_NOT_A_BLOB);
  EXPECT_EQ(code_with(256, 77), OCTET_MALFORMED);  // strings became an unknown section
}

}  // namespace
}  // namespace octet::test
