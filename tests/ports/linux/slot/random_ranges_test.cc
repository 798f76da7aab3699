// A model whose ranges come from random data stays out of a store, unless somebody insists.
#include "runtime/format/optional_features.h"

#include "tests/ports/linux/slot/models.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using port::SlotAnswer;
using port::SlotStore;

class RandomRanges : public StoreFolder {
 protected:
  static Blob Random(int id) {
    Blob blob = MakeStored({.id = id});
    reinterpret_cast<blob::Header*>(blob.data())->optional_features |= blob::kFeatureRandomRanges;
    Rehash(blob);
    return blob;
  }
  std::string Where() const { return Path("store"); }
};

TEST_F(RandomRanges, AreRefusedWithTheWayOut) {
  SlotStore store(Where(), {});
  Install(&store, MakeStored({.id = 1}));
  const octet_slots_info before = store.Info();
  const SlotAnswer answer = Stage(&store, Random(2));
  EXPECT_EQ(answer.code, OCTET_SLOTS_RANDOM);
  ExpectFacts(answer.why, {Where(), "the new model", "random data", "pictures", "stage --force",
                           "activate --force"});
  const octet_slots_info after = store.Info();
  EXPECT_EQ(after.last_refusal, OCTET_SLOTS_RANDOM);
  EXPECT_EQ(after.refusals, before.refusals + 1);
  EXPECT_EQ(after.slots[OCTET_SLOT_B].standing, before.slots[OCTET_SLOT_B].standing);
}

// Of each command its own: another kind of model is another question.
TEST_F(RandomRanges, ForceTakesThem) {
  port::StoreOptions any;
  any.any_kind = true;
  SlotStore other(Where(), any);
  EXPECT_EQ(Stage(&other, Random(1)).code, OCTET_SLOTS_RANDOM);
  port::StoreOptions options;
  options.random_ranges = true;
  SlotStore forced(Where(), options), plain(Where(), {});
  EXPECT_TRUE(Stage(&forced, Random(1)));
  EXPECT_TRUE(plain.Verify(OCTET_SLOT_A)) << "the bytes are good";
  EXPECT_EQ(plain.Activate().code, OCTET_SLOTS_RANDOM) << "activate looks again";
  EXPECT_TRUE(forced.Activate());
  port::SlotChoice model;
  EXPECT_TRUE(plain.Boot(&model));
  EXPECT_TRUE(plain.Confirm()) << "what runs, runs on";
  EXPECT_TRUE(Stage(&plain, MakeStored({.id = 2})));
}

// Bits of later versions say nothing to this one.
TEST_F(RandomRanges, OtherBitsAreIgnored) {
  Blob blob = MakeStored({.id = 1});
  reinterpret_cast<blob::Header*>(blob.data())->optional_features = ~uint64_t{1};
  Rehash(blob);
  SlotStore store(Where(), {});
  EXPECT_TRUE(Stage(&store, blob));
}

}  // namespace
}  // namespace octet::test
