// Which parts of an output are shown to cover it, against a count of every element.
#include "runtime/format/tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "octet/octet.h"
#include "runtime/format/view.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

struct Part {
  uint32_t base;
  uint32_t dims[4], strides[4];
};

// How often the parts write each element.
std::vector<int> Writes(const std::vector<Part>& parts, size_t elements) {
  std::vector<int> writes(elements);
  for (const Part& part : parts) {
    const auto& d = part.dims;
    const auto& s = part.strides;
    for (uint32_t i = 0; i < d[0] * d[1] * d[2] * d[3]; ++i) {
      const uint32_t at = part.base + i / (d[1] * d[2] * d[3]) * s[0] +
                          i / (d[2] * d[3]) % d[1] * s[1] + i / d[3] % d[2] * s[2] +
                          i % d[3] * s[3];
      if (at < elements) ++writes[at];
    }
  }
  return writes;
}

bool AreShownApart(const std::vector<Part>& parts) {
  std::vector<Lattice> lattices(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!lattices[i].OfStrides(parts[i].base, parts[i].dims, parts[i].strides)) return false;
    for (size_t k = 0; k < i; ++k) {
      const bool apart = AreApart(lattices[i], lattices[k]);
      EXPECT_EQ(apart, AreApart(lattices[k], lattices[i]));
      if (!apart) return false;
    }
  }
  return true;
}

// One to three arrays of up to 4 dimensions, one behind the other, each cut again and again along
// axes, the axes of the pieces permuted.
class Cutter {
 public:
  explicit Cutter(uint32_t seed) : random_(seed) {}
  // elements: of all arrays.
  std::vector<Part> Cut(size_t* elements) {
    parts_.clear();
    base_ = 0;
    for (uint32_t array = 1 + random_() % 3; array > 0; --array) {
      uint32_t step = 1, dims[4];
      for (uint32_t d = 4; d-- > 0; step *= dims[d]) {
        dims[d] = 1 + random_() % 6;
        strides_[d] = step;
      }
      Split({0, 0, 0, 0}, {dims[0], dims[1], dims[2], dims[3]}, 4);
      base_ += step;
    }
    *elements = base_;
    return parts_;
  }
  uint32_t operator()() { return static_cast<uint32_t>(random_()); }

 private:
  using Index = std::array<uint32_t, 4>;
  void Split(const Index& first, const Index& end, int depth) {
    const uint32_t axis = random_() % 4;
    if (depth > 0 && random_() % 4 != 0 && end[axis] - first[axis] > 1) {
      const uint32_t at = first[axis] + 1 + random_() % (end[axis] - first[axis] - 1);
      Index middle = end;
      middle[axis] = at;
      Split(first, middle, depth - 1);
      middle = first;
      middle[axis] = at;
      return Split(middle, end, depth - 1);
    }
    uint32_t order[4] = {0, 1, 2, 3};
    std::shuffle(order, order + 4, random_);
    Part part = {};
    part.base = base_;
    for (uint32_t d = 0; d < 4; ++d) {
      part.base += first[d] * strides_[d];
      part.dims[d] = end[order[d]] - first[order[d]];
      part.strides[d] = strides_[order[d]];
    }
    parts_.push_back(part);
  }

  std::mt19937 random_;
  uint32_t strides_[4] = {}, base_ = 0;
  std::vector<Part> parts_;
};

// Whatever is joined along axes passes; whatever passes writes each element once.
TEST(Tiling, PartsOfAnArrayPassAndChangedOnesDoNot) {
  size_t refused = 0, harmless = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Cutter cutter(seed);
    size_t elements = 0;
    std::vector<Part> parts = cutter.Cut(&elements);
    ASSERT_TRUE(AreShownApart(parts));
    const std::vector<int> writes = Writes(parts, elements);
    ASSERT_EQ(std::count(writes.begin(), writes.end(), 1), static_cast<long>(elements));
    // One number changed.
    Part& part = parts[cutter() % parts.size()];
    uint32_t* numbers[] = {&part.base, &part.strides[0], &part.strides[1], &part.strides[2],
                           &part.strides[3]};
    *numbers[cutter() % 5] = cutter() % (elements + 1);
    const std::vector<int> changed = Writes(parts, elements * 12);
    const bool overlap = std::any_of(changed.begin(), changed.end(), [](int n) { return n > 1; });
    if (AreShownApart(parts)) {
      ASSERT_FALSE(overlap);
      ++harmless;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(harmless, 200u);
}

TEST(Tiling, HeadsOfADetector) {
  // [1,84,8400]: boxes and classes of three grids, each a tensor [1,h,w,c].
  std::vector<Part> parts;
  for (const auto& [size, base] : {std::pair{80u, 0u}, {40u, 6400u}, {20u, 8000u}}) {
    parts.push_back({base, {1, size, size, 4}, {0, size, 1, 8400}});
    parts.push_back({4 * 8400 + base, {1, size, size, 80}, {0, size, 1, 8400}});
  }
  EXPECT_TRUE(AreShownApart(parts));
  parts[3].base -= 1;
  EXPECT_FALSE(AreShownApart(parts));
  // [1,56,8400]: behind boxes and scores 17 key points, place and visibility in turn.
  parts = {{0, {1, 1, 4, 8400}, {0, 470400, 8400, 1}},
           {33600, {1, 80, 80, 1}, {0, 80, 1, 0}},
           {40000, {1, 40, 40, 1}, {0, 40, 1, 0}},
           {41600, {1, 20, 20, 1}, {0, 20, 1, 0}},
           {42000, {1, 17, 2, 8400}, {0, 25200, 8400, 1}},
           {58800, {1, 17, 1, 8400}, {0, 25200, 8400, 1}}};
  EXPECT_TRUE(AreShownApart(parts));
}

// Strides of 0 left elements of the caller's buffer as they were.
TEST(Tiling, ABlobWithPartsOnTopOfOneAnotherIsRefused) {
  Blob blob = MakeMixedBlob();
  BlobView view;
  ASSERT_TRUE(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
  PlanView plan;
  ASSERT_TRUE(IsOk(ViewPlan(view, 0, &plan)));
  for (uint32_t i = 0; i < view.model->part_count; ++i) {
    Blob changed = blob;
    const size_t at =
        static_cast<size_t>(reinterpret_cast<const uint8_t*>(&view.parts[i]) - blob.data());
    auto* part = reinterpret_cast<blob::OutputPart*>(changed.data() + at);
    std::memset(part->strides, 0, sizeof(part->strides));
    const octet_status status = octet_validate(changed.data(), changed.size(), OCTET_VERIFY_NONE);
    EXPECT_EQ(status.code, OCTET_MALFORMED) << "part " << i;
    EXPECT_EQ(status.offset, at + offsetof(blob::OutputPart, base)) << "part " << i;
  }
}

}  // namespace
}  // namespace octet::test
