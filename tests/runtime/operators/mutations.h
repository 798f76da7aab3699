// Broken copies of a sound layer: what the Check tests share.
#ifndef OCTET_TESTS_RUNTIME_OPERATORS_MUTATIONS_H_
#define OCTET_TESTS_RUNTIME_OPERATORS_MUTATIONS_H_

#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/runtime/operators/layer_case.h"

namespace octet::operators_test {

struct Mutation {
  const char* rule;
  std::function<void(LayerCase&)> apply;
};
using Mutations = std::vector<Mutation>;

inline void ExpectRefused(const LayerCase& sound, const Mutations& mutations) {
  ASSERT_TRUE(sound.Check());
  for (const Mutation& m : mutations) {
    LayerCase broken = sound;
    m.apply(broken);
    EXPECT_FALSE(broken.Check()) << m.rule;
  }
}

inline blob::TensorRecord& In(LayerCase& l, uint32_t i = 0) {
  return l.tensors[l.inputs[i]];
}
inline blob::TensorRecord& Out(LayerCase& l) {
  return l.tensors[l.layer.output];
}
// What every operator but Convert and Constant refuses.
inline Mutations Common() {
  return {
      {"an input is missing", [](LayerCase& l) { --l.layer.input_count; }},
      {"unknown precision",
       [](LayerCase& l) { l.layer.precision = static_cast<blob::Precision>(2); }},
      {"precision is not the tensors'",
       [](LayerCase& l) {
         l.layer.precision = l.IsInt8() ? blob::Precision::kFp16 : blob::Precision::kInt8;
       }},
      {"input of another type",
       [](LayerCase& l) {
         In(l).type = l.IsInt8() ? blob::ElementType::kFp16 : blob::ElementType::kInt8;
       }},
      {"output of another type",
       [](LayerCase& l) {
         Out(l).type = l.IsInt8() ? blob::ElementType::kFp16 : blob::ElementType::kInt8;
       }},
  };
}

inline Mutations Join(std::initializer_list<Mutations> lists) {
  Mutations all;
  for (const Mutations& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace octet::operators_test

#endif  // OCTET_TESTS_RUNTIME_OPERATORS_MUTATIONS_H_
