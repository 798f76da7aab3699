// Runs a random test several times, each with a seed of its own that a failure prints.
#ifndef OCTET_TESTS_RUNTIME_OPERATORS_REPEAT_H_
#define OCTET_TESTS_RUNTIME_OPERATORS_REPEAT_H_

#include <string>

#include "gtest/gtest.h"
#include "tests/runtime/kernels/random.h"

namespace octet::operators_test {

template <typename Test>
void Repeat(int count, Test test) {
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    const uint64_t seed = kernels_test::TestSeed() + static_cast<uint64_t>(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    kernels_test::Random random(seed);
    test(random);
  }
}

}  // namespace octet::operators_test

#endif  // OCTET_TESTS_RUNTIME_OPERATORS_REPEAT_H_
