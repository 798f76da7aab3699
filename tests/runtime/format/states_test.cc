// Every rule of states: what refuses, and where the status points.
#include "tests/runtime/format/refusals.h"
#include "tests/support/states_blob.h"

namespace octet::test {
namespace {

using R = Records;

// Tensors of plan 0 of MakeStatesBlob; plan 1 has one more in front.
enum : uint32_t { kX, kI, kH, kLast, kProduct, kSum, kNow, kTold };

TEST(States, RecordsOfTheModel) {
  ExpectRefusals(
      MakeStatesBlob(),
      {
          {"none", [](R&) -> const void* { return nullptr; }},
          {"without the feature",
           [](R& r) -> const void* {
             r.header().required_features &= ~uint64_t{blob::kFeatureStates};
             return &r.model().state_count;
           }},
          {"too many",
           [](R& r) -> const void* {
             r.model().state_count = 65;
             return &r.model().state_count;
           }},
          {"array not aligned",
           [](R& r) -> const void* {
             return r.model().states_offset += 2, &r.model().state_count;
           }},
          {"array behind the section",
           [](R& r) -> const void* {
             r.model().states_offset = 0xFFFFFFF8;
             return &r.model().state_count;
           }},
          {"name", [](R& r) -> const void* { return r.state(1).name = 1u << 30, &r.state(1); }},
          {"output's name",
           [](R& r) -> const void* { return r.state(1).output_name = blob::kNone, &r.state(1); }},
          {"int8",
           [](R& r) -> const void* {
             r.state().type = blob::ElementType::kInt8;
             return &r.state().type;
           }},
          {"unknown type",
           [](R& r) -> const void* {
             r.state().type = static_cast<blob::ElementType>(0);
             return &r.state().type;
           }},
          {"rank", [](R& r) -> const void* { return r.state().rank = 9, &r.state().rank; }},
          {"no elements",
           [](R& r) -> const void* { return r.state().dims[2] = 0, r.state().dims; }},
          {"more than a tensor",
           [](R& r) -> const void* { return r.state().dims[0] = 1u << 31, r.state().dims; }},
          {"pairs behind the list",
           [](R& r) -> const void* {
             r.plan(1).first_state = r.model().plan_io_count - 3;
             return &r.plan(1).first_state;
           }},
          {"pairs far behind it",
           [](R& r) -> const void* {
             return r.plan().first_state = blob::kNone, &r.plan().first_state;
           }},
      });
}

TEST(States, TensorsOfAPlan) {
  ExpectRefusals(
      MakeStatesBlob(),
      {
          {"read: no tensor",
           [](R& r) -> const void* { return r.state_tensor(0, 0) = 1000, &r.state(); }},
          {"written: no tensor",
           [](R& r) -> const void* { return r.state_tensor(0, 1) = blob::kNone, &r.state(); }},
          {"read: a layer writes it",
           [](R& r) -> const void* { return r.state_tensor(0, 0) = kProduct, &r.state(); }},
          {"read: an input",
           [](R& r) -> const void* { return r.state_tensor(0, 0) = kX, &r.state(); }},
          {"read: another state's",
           [](R& r) -> const void* { return r.state_tensor(1, 0) = kH, &r.state(1); }},
          {"written: of another type",
           [](R& r) -> const void* { return r.state_tensor(0, 1) = kNow, r.state().dims; }},
          {"of another type than the record",
           [](R& r) -> const void* {
             r.state().type = blob::ElementType::kInt32;
             return r.state().dims;
           }},
          {"other elements",
           [](R& r) -> const void* { return r.state().dims[3] = 6, r.state().dims; }},
          {"other scales",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureHalfScale;
             r.tensor(kSum).scale = 2;
             return r.state().dims;
           }},
          {"other scales in another plan",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureHalfScale;
             r.tensor(kSum + 1, 1).scale = r.tensor(kH + 1, 1).scale = 2;
             return r.state().dims;
           }},
          {"another layout in another plan",
           [](R& r) -> const void* {
             for (const uint32_t t : {kH, kSum}) {
               std::swap(r.tensor(t + 1, 1).dims[1], r.tensor(t + 1, 1).dims[2]);
             }
             return r.state().dims;
           }},
          {"written: dies before the end",
           [](R& r) -> const void* {
             return r.tensor(kNow).last_layer = 3, &r.tensor(kNow).last_layer;
           }},
          {"read: claims a longer life",
           [](R& r) -> const void* { return ++r.tensor(kH).last_layer, &r.tensor(kH).last_layer; }},
          {"read: over an input",
           [](R& r) -> const void* {
             r.tensor(kH).arena_offset = r.tensor(kX).arena_offset;
             return &r.tensor(kH).arena_offset;
           }},
          {"two states, one result",
           [](R& r) -> const void* {
             r.state_tensor(1, 1) = kTold;
             return &r.tensor(kNow).last_layer;
           }},
      });
}

TEST(States, Start) {
  ExpectRefusals(
      MakeStatesBlob(),
      {
          {"not aligned",
           [](R& r) -> const void* { return r.state().initial += 2, &r.state().initial; }},
          {"behind the tables",
           [](R& r) -> const void* { return r.state().initial = 1u << 20, &r.state().initial; }},
          {"beyond all",
           [](R& r) -> const void* { return r.state().initial = 0xFFFFFFFC, &r.state().initial; }},
          {"zeros", [](R& r) -> const void* { return r.state().initial = blob::kNone, nullptr; }},
      });
}

}  // namespace
}  // namespace octet::test
