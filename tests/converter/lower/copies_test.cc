// Graphs that only pass their inputs on: both plans have a layer and give what they were given.
#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

TEST(Copies, NothingElse) {
  const struct {
    const char* name;
    OnnxValue (*make)(const OnnxValue& x);
  } kCases[] = {
      {"Identity", [](const OnnxValue& x) { return x.Op("Identity"); }},
      {"Dropout", [](const OnnxValue& x) { return x.Op("Dropout"); }},
      {"Cast",
       [](const OnnxValue& x) {
         return x.Op("Cast", {{"to", Int(1)}});
       }},
      {"Cast there and back",
       [](const OnnxValue& x) {
         return x.Op("Cast", {{"to", Int(10)}}).Op("Cast", {{"to", Int(1)}});
       }},
      {"Reshape",
       [](const OnnxValue& x) {
         return x.Reshape({1, 3, 4, 5});
       }},
      {"Reshape to another",
       [](const OnnxValue& x) {
         return x.Reshape({1, 60});
       }},
      {"Transpose",
       [](const OnnxValue& x) {
         return x.Transpose({0, 1, 2, 3});
       }},
      {"Transpose that moves",
       [](const OnnxValue& x) {
         return x.Transpose({0, 3, 1, 2});
       }},
      {"Pad",
       [](const OnnxValue& x) {
         return x.Pad({0, 0, 0, 0, 0, 0, 0, 0});
       }},
      {"Slice", [](const OnnxValue& x) { return x.Slice({0}, {100}, {2}); }},
      {"Resize",
       [](const OnnxValue& x) {
         return x.Resize({1, 1, 1, 1});
       }},
  };
  for (const auto& one : kCases) {
    SCOPED_TRACE(one.name);
    OnnxBuilder model;
    one.make(model.Input("x", {1, 3, 4, 5})).Output("y");
    ExpectPlansNear(model, 1e-3, 1e-2);
  }
}

TEST(Copies, SeveralAndWithUnreadInputs) {
  OnnxBuilder twice;
  const OnnxValue x = twice.Input("x", {1, 64});
  x.Op("Identity").Output("y");
  x.Op("Identity").Output("z");
  ExpectPlansNear(twice, 1e-3, 1e-2);

  OnnxBuilder crossed;
  const OnnxValue a = crossed.Input("a", {1, 64}), b = crossed.Input("b", {1, 32});
  crossed.Input("unread", {1, 3});
  b.Op("Identity").Output("y");
  a.Op("Identity").Output("z");
  ExpectPlansNear(crossed, 1e-3, 1e-2);
}

}  // namespace
}  // namespace octet::test
