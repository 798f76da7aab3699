// Every operator of operators.inc on random shapes and attributes, against an expression of its
// own. The table is made from the list: an operator without a case does not link.
#include <gtest/gtest.h>

#include <string>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {

#define OCTET_OPERATOR(name, ...) void Case##name(Draw& draw);
#include "converter/operators/operators.inc"
#undef OCTET_OPERATOR

namespace {

constexpr uint64_t kSeeds = 40;

struct Case {
  const char* name;
  void (*run)(Draw& draw);
};

constexpr Case kCases[] = {
#define OCTET_OPERATOR(name, ...) {#name, &Case##name},
#include "converter/operators/operators.inc"
#undef OCTET_OPERATOR
};

class Operators : public testing::TestWithParam<Case> {};

TEST_P(Operators, IsItsExpression) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(std::string(GetParam().name) + ", seed " + std::to_string(seed));
    Draw draw(seed);
    ASSERT_NO_THROW(GetParam().run(draw));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(List, Operators, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace octet::operators::list
