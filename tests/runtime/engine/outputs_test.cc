// Outputs as floats, in the model's order of dimensions, whatever that of their tensors.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "runtime/kernels/function.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::ElementType;
using blob::Function;
using Dims = BlobBuilder::Dims;

// A value of element `i` that every type holds exactly.
float ValueOf(uint32_t i) {
  return static_cast<float>(static_cast<int>(i * 37 % 251) - 125);
}

// The tensor's dimensions, outermost first: NHWC, NCHW, as a matrix turned, and upside down.
constexpr uint32_t kOrders[][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {3, 2, 1, 0}};

// Two tensors with the input's values behind each other in one output: in this order of dimensions,
// and as they are.
Blob MakeBlob(const Dims& dims, ElementType type, const uint32_t order[4], Function function) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", dims, type, 1, 0);
  const uint32_t y = b.AddTensor(dims, type, 1, 0), z = b.AddTensor(dims, type, 1, 0);
  b.AddLayer(blob::Op::kReshape, {x}, y);
  b.AddLayer(blob::Op::kReshape, {x}, z);
  const uint32_t count = dims[0] * dims[1] * dims[2] * dims[3];
  blob::OutputPart turned{}, plain{};
  turned.tensor = y, plain.tensor = z, plain.base = count;
  turned.function = plain.function = static_cast<uint8_t>(function);
  for (uint32_t k = 4, stride = 1, dense = 1; k-- > 0;) {
    turned.strides[order[k]] = stride, plain.strides[k] = dense;
    stride *= dims[order[k]], dense *= dims[k];
  }
  b.AddOutput("out", {2, count}, {turned, plain});
  return b.Build();
}

struct Case {
  ElementType type;
  Function function;
};

class Outputs : public testing::TestWithParam<Dims> {};

TEST_P(Outputs, EveryElementAtItsPlace) {
  const Dims d = GetParam();
  const uint32_t count = d[0] * d[1] * d[2] * d[3];
  std::vector<float> input(count);
  for (uint32_t i = 0; i < count; ++i) input[i] = ValueOf(i);
  for (const Case c :
       {Case{ElementType::kInt8, Function::kIdentity},
        Case{ElementType::kFp16, Function::kIdentity}, Case{ElementType::kFp16, Function::kSigmoid},
        Case{ElementType::kInt32, Function::kIdentity}}) {
    for (const auto& order : kOrders) {
      const Blob blob = MakeBlob(d, c.type, order, c.function);
      for (const octet_isa isa : RunnableLevels()) {
        for (const uint32_t threads : {1u, 3u}) {
          SessionOptions options;
          options.isa = isa;
          options.threads = threads;
          TestSession session(blob, options);
          ASSERT_EQ(session.status().code, OCTET_OK);
          session.SetInput(0, input);
          ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
          const std::vector<float> output = session.Output(0);
          ASSERT_EQ(output.size(), 2u * count);
          size_t at = 0;  // in the output, whose dimensions count up in `order`
          std::array<uint32_t, 4> place{};
          for (; at < count; ++at) {
            const uint32_t i = ((place[0] * d[1] + place[1]) * d[2] + place[2]) * d[3] + place[3];
            const float wanted = ApplyFunction(c.function, ValueOf(i), 0, 0);
            ASSERT_EQ(output[at], wanted) << octet_isa_name(isa) << " element " << at;
            ASSERT_EQ(output[count + i], wanted) << octet_isa_name(isa) << " element " << i;
            for (int k = 3; k >= 0 && ++place[order[k]] == d[order[k]]; --k) place[order[k]] = 0;
          }
          session.ExpectGuardsIntact();
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Outputs,
                         testing::Values(Dims{1, 1, 1, 1}, Dims{1, 1, 1, 300}, Dims{1, 1, 67, 1},
                                         Dims{1, 1, 83, 20}, Dims{1, 5, 7, 3}, Dims{2, 3, 4, 5},
                                         Dims{1, 9, 1, 33}, Dims{1, 4, 4, 16}, Dims{2, 6, 18, 36},
                                         Dims{1, 2, 3, 270}));

}  // namespace
}  // namespace octet::test
