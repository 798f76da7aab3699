// Padding of convolutions: what a kernel takes, and what a layer in front of it writes.
#include <algorithm>

#include "gtest/gtest.h"
#include "tests/converter/lower/convert_in_process.h"

namespace octet::test {
namespace {

// Kernels count on windows that meet the picture: wider padding is a layer of its own.
TEST(ConvPadding, BeyondTheWindowIsALayer) {
  for (const bool across : {false, true}) {
    for (const int64_t dilation : {1, 2}) {
      for (const int64_t kernel : {1, 2, 3}) {
        const int64_t reach = (kernel - 1) * dilation;
        for (const int64_t pad : {reach, reach + 1}) {
          for (const bool begin : {false, true}) {
            SCOPED_TRACE(::testing::Message() << across << " kernel " << kernel << " dilation "
                                              << dilation << " pad " << pad << " " << begin);
            Dims pads{0, 0, 0, 0};
            pads[static_cast<size_t>(across) + (begin ? 0 : 2)] = pad;
            OnnxBuilder model;
            model.Input("x", {1, 3, 7, 7})
                .Conv({.channels = 4,
                       .kernel = across ? 1 : kernel,
                       .kernel_width = across ? kernel : 1,
                       .pads = pads,
                       .dilation = dilation,
                       .in_channels = 3})
                .Output("y");
            const Converted converted = ConvertInProcess(model, 3, 2);
            for (const write::Plan& plan : converted.plans) {
              const auto& layers = plan.program.layers;
              const bool padded =
                  std::any_of(layers.begin(), layers.end(),
                              [](const lower::Layer& layer) { return layer.op == blob::Op::kPad; });
              EXPECT_EQ(padded, pad > reach) << NameOf(plan.program.plan);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace octet::test
