// Outputs whose parts add offsets: one float addition behind the function, the same on every level.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/kernels/function.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::ElementType;
using blob::Function;
using Dims = BlobBuilder::Dims;

float InputAt(uint32_t i) {
  return static_cast<float>(static_cast<int>(i * 37 % 251) - 125);
}

// No two alike, of very different size, none of which a sum holds exactly.
std::vector<float> Numbers(uint32_t count) {
  std::vector<float> numbers(count);
  for (uint32_t i = 0; i < count; ++i) {
    numbers[i] = (i % 2 == 0 ? 1970.1f : -0.3f) * static_cast<float>(i + 1);
  }
  return numbers;
}

// The tensor in the order of its dimensions (NHWC), and with its channels outermost (NCHW).
Blob MakeBlob(const Dims& d, ElementType type, Function function, uint32_t count) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", d, type, 1, 0);
  const uint32_t y = b.AddTensor(d, type, 1, 0);
  b.AddLayer(blob::Op::kReshape, {x}, y);
  blob::OutputPart part{};
  part.tensor = y;
  part.function = static_cast<uint32_t>(function);
  part.offsets = b.AddOffsets(Numbers(count));
  part.strides[0] = d[1] * d[2] * d[3], part.strides[1] = d[2] * d[3], part.strides[2] = d[3];
  part.strides[3] = 1;
  b.AddOutput("nhwc", {d[0], d[1], d[2], d[3]}, {part});
  part.offsets = b.AddOffsets(Numbers(count));
  part.strides[1] = d[2], part.strides[2] = 1, part.strides[3] = d[1] * d[2];
  b.AddOutput("nchw", {d[0], d[3], d[1], d[2]}, {part});
  return b.Build();
}

class OutputOffsets : public testing::TestWithParam<Dims> {};

TEST_P(OutputOffsets, AreAddedToEveryElement) {
  const Dims d = GetParam();
  const uint32_t elements = d[0] * d[1] * d[2] * d[3];
  std::vector<float> input(elements);
  for (uint32_t i = 0; i < elements; ++i) input[i] = InputAt(i);
  for (const ElementType type : {ElementType::kInt8, ElementType::kFp16, ElementType::kInt32}) {
    for (const Function function : {Function::kIdentity, Function::kSigmoid}) {
      for (const uint32_t count : {1u, d[3], d[2] * d[3], d[1] * d[2] * d[3]}) {
        const Blob blob = MakeBlob(d, type, function, count);
        const std::vector<float> numbers = Numbers(count);
        for (const octet_isa isa : RunnableLevels()) {
          for (const uint32_t threads : {1u, 3u}) {
            SessionOptions options;
            options.isa = isa;
            options.threads = threads;
            TestSession session(blob, options);
            ASSERT_EQ(session.status().code, OCTET_OK);
            session.SetInput(0, input);
            ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
            const std::vector<float> nhwc = session.Output(0), nchw = session.Output(1);
            for (uint32_t i = 0; i < elements; ++i) {
              const float wanted = ApplyFunction(function, InputAt(i), 0, 0) + numbers[i % count];
              const uint32_t c = i % d[3], pixel = i / d[3] % (d[1] * d[2]),
                             n = i / d[3] / d[1] / d[2];
              ASSERT_EQ(nhwc[i], wanted) << octet_isa_name(isa) << " element " << i;
              ASSERT_EQ(nchw[(n * d[3] + c) * d[1] * d[2] + pixel], wanted)
                  << octet_isa_name(isa) << " element " << i;
            }
            session.ExpectGuardsIntact();
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, OutputOffsets,
                         testing::Values(Dims{1, 1, 1, 1}, Dims{1, 1, 16, 4}, Dims{2, 3, 5, 7},
                                         Dims{1, 9, 17, 3}, Dims{1, 1, 1, 301},
                                         Dims{1, 6, 40, 33}));

TEST(OutputOffsetViews, ShowThem) {
  const Blob blob = MakeBlob({1, 1, 2, 3}, ElementType::kInt8, Function::kIdentity, 3);
  const TestSession session(blob, {});
  octet_tensor_view view;
  ASSERT_EQ(octet_output_view(session.get(), 0, 0, &view).code, OCTET_OK);
  ASSERT_EQ(view.offset_count, 3u);
  EXPECT_EQ(std::vector<float>(view.offsets, view.offsets + 3), Numbers(3));
  ASSERT_EQ(octet_layer_view(session.get(), 0, &view).code, OCTET_OK);
  EXPECT_EQ(view.offset_count, 0u);
}

// A program of an older header has no place for offsets and must not take the numbers for values.
TEST(OutputOffsetViews, AreRefusedToWhoKnowsNone) {
  octet_tensor_view view;
  view.size = offsetof(octet_tensor_view, offsets);
  const Blob with = MakeBlob({1, 1, 2, 3}, ElementType::kInt8, Function::kIdentity, 3);
  const TestSession session(with, {});
  EXPECT_EQ(octet_output_view(session.get(), 0, 0, &view).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_layer_view(session.get(), 0, &view).code, OCTET_OK);
  BlobBuilder b;
  b.AddOutput("y", b.AddInput("x", {1, 1, 1, 1}));
  const Blob without = b.Build();
  const TestSession plain(without, {});
  EXPECT_EQ(octet_output_view(plain.get(), 0, 0, &view).code, OCTET_OK);
}

}  // namespace
}  // namespace octet::test
