// A model that needs equalization.
#ifndef OCTET_TESTS_SUPPORT_UNDONE_MODEL_H_
#define OCTET_TESTS_SUPPORT_UNDONE_MODEL_H_

#include <vector>

#include "tests/support/onnx_builder.h"

namespace octet::test {

// One channel 4000 times as wide as the others, undone by the next layer.
inline void AddUndoneLayers(OnnxBuilder* model) {
  std::vector<float> wide(16), undone(16);
  for (size_t i = 0; i < 16; ++i) {
    wide[i] = static_cast<float>(i * 7 % 11) / 5 - 1;
    undone[i] = static_cast<float>(i * 5 % 13) / 6 - 1;
    if (i / 4 == 3) wide[i] *= 4000;
    if (i % 4 == 3) undone[i] /= 4000;
  }
  const OnnxValue x = model->Input("x", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue first = model->Initializer("first", {4, 4, 1, 1}, wide);
  const OnnxValue second = model->Initializer("second", {4, 4, 1, 1}, undone);
  x.Op("Conv", {}, {first.name()}).Op("Conv", {}, {second.name()}).Output("y");
}

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_UNDONE_MODEL_H_
