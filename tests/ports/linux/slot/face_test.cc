// A model takes the place of one of its own kind: task, inputs, outputs and labels.
#include "ports/linux/slot/model_face.h"

#include <cstdlib>

#include "tests/ports/linux/slot/models.h"
#include "tests/support/facts.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

using port::SlotAnswer;
using port::SlotStore;

class Face : public StoreFolder {
 protected:
  std::string Where() const { return Path("store"); }
  void ExpectRefused(SlotStore* store, const Blob& blob, const std::string& why) const {
    const octet_slots_info before = store->Info();
    const SlotAnswer answer = Stage(store, blob);
    EXPECT_EQ(answer.code, OCTET_SLOTS_OTHER);
    ExpectFacts(answer.why, {Where(), "the new model", why, "octet-slot STORE stage FILE --force",
                             "activate --force"});
    const octet_slots_info after = store->Info();
    EXPECT_EQ(after.last_refusal, OCTET_SLOTS_OTHER);
    EXPECT_EQ(after.refusals, before.refusals + 1);
    EXPECT_EQ(after.slots[OCTET_SLOT_B].standing, before.slots[OCTET_SLOT_B].standing);
  }
};

TEST_F(Face, WhatIsNoDetectorTakesNoDetectorsPlace) {
  SlotStore store(Where(), {});
  Install(&store, MakeMixedBlob());
  ExpectRefused(&store, MakeStored({.id = 1}), "its task is none, not detect");
  // By the records it never was there, so that nothing can be put on trial.
  EXPECT_EQ(store.Activate().code, OCTET_SLOTS_EMPTY);
}

TEST_F(Face, OutputsInputsAndLabelsAreCompared) {
  SlotStore store(Where(), {});
  Install(&store, MakeStored({.id = 1, .labels = {"Coat", "Bag"}}));
  const auto like = [](std::vector<std::string> labels) {
    return MakeStored({.id = 2, .vectors = Vectors::kNone, .labels = std::move(labels)});
  };
  ExpectRefused(&store, like({}), "it has 0 labels, not 2");
  ExpectRefused(&store, like({"Coat", "Bag", "Boot"}), "it has 3 labels, not 2");
  ExpectRefused(&store, like({"Bag", "Coat"}), "its label 0 is Bag, not Coat");
  ExpectRefused(&store, like({"Coat", "bag"}), "its label 1 is bag, not Bag");
  ExpectRefused(
      &store,
      MakeStored(
          {.id = 2, .vectors = Vectors::kNone, .labels = {"Coat", "Bag"}, .output_count = 2}),
      "it has 2 outputs, not 1");
  ExpectRefused(
      &store,
      MakeStored({.id = 2, .vectors = Vectors::kNone, .labels = {"Coat", "Bag"}, .width = 8}),
      "its input 0 is floats [1,1,1,8], not floats [1,1,1,16]");
  EXPECT_TRUE(Stage(&store, like({"Coat", "Bag"})));
  EXPECT_TRUE(store.Activate());
}

// A release that is meant to be another kind, and one staged for another model that ran.
TEST_F(Face, ForceTakesItAndOnlyForce) {
  SlotStore store(Where(), {});
  Install(&store, MakeStored({.id = 1, .labels = {"Coat"}}));
  const Blob other = MakeStored({.id = 2, .labels = {"Coat", "Bag"}});
  port::StoreOptions any;
  any.any_kind = true;
  SlotStore forced(Where(), any);
  EXPECT_TRUE(Stage(&forced, other));
  const SlotAnswer refused = store.Activate();
  EXPECT_EQ(refused.code, OCTET_SLOTS_OTHER) << "activate looks again";
  EXPECT_NE(refused.why.find("it has 2 labels, not 1"), std::string::npos) << refused.why;
  EXPECT_TRUE(forced.Activate());
  port::SlotChoice model;
  EXPECT_TRUE(store.Boot(&model));
  EXPECT_TRUE(store.Confirm());
  // From now on that is the kind that runs.
  EXPECT_EQ(Stage(&store, MakeStored({.id = 3, .labels = {"Coat"}})).code, OCTET_SLOTS_OTHER);
  EXPECT_TRUE(store.Verify(OCTET_SLOT_A)) << "the old one is good all the same";
}

// Whatever may replace a model that cannot run.
TEST_F(Face, ADecayedModelSetsNoKind) {
  SlotStore store(Where(), {});
  Install(&store, MakeStored({.id = 1, .labels = {"Coat"}}));
  Blob decayed = ReadBlob(Path("store/slot-a.octet"));
  decayed[decayed.size() / 2] ^= 1;
  WriteBlob("store/slot-a.octet", decayed);
  EXPECT_TRUE(Stage(&store, MakeStored({.id = 2, .labels = {"Bag"}})));
}

}  // namespace
}  // namespace octet::test
