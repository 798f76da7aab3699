// Output size and padding of windows against numbers worked out by hand.
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "converter/operators/window.h"

namespace octet::operators {
namespace {

using Ints = std::vector<int64_t>;
using Attributes = std::map<std::string, graph::Attribute>;

graph::Node WindowNode(const Attributes& attributes) {
  graph::Node node;
  node.name = "window";
  node.op = "Conv";
  for (const auto& [key, value] : attributes) node.attributes[key] = value;
  return node;
}

struct Padded {
  int64_t out, begin, end;
  bool operator==(const Padded&) const = default;
};
void PrintTo(const Padded& p, std::ostream* out) {
  *out << p.out << " pixels, padding " << p.begin << " and " << p.end;
}

Padded Same(const char* mode, int64_t in, int64_t kernel, int64_t stride, int64_t dilation) {
  const Window window = MakeWindow(WindowNode({{"auto_pad", std::string(mode)},
                                               {"strides", Ints({stride})},
                                               {"dilations", Ints({dilation})}}),
                                   {1, 1, in}, {kernel});
  return {window.x.out, window.x.pad_begin, window.x.pad_end};
}

// Together (out - 1) * stride + extent - in, and never less than nothing.
TEST(Windows, SamePadding) {
  EXPECT_EQ(Same("SAME_UPPER", 5, 3, 2, 1), (Padded{3, 1, 1}));
  EXPECT_EQ(Same("SAME_UPPER", 6, 3, 2, 1), (Padded{3, 0, 1}));
  EXPECT_EQ(Same("SAME_LOWER", 6, 3, 2, 1), (Padded{3, 1, 0}));
  EXPECT_EQ(Same("SAME_UPPER", 7, 4, 3, 2), (Padded{3, 3, 3}));
  EXPECT_EQ(Same("SAME_UPPER", 7, 5, 3, 2), (Padded{3, 4, 4}));
  EXPECT_EQ(Same("SAME_UPPER", 8, 5, 1, 1), (Padded{8, 2, 2}));
  EXPECT_EQ(Same("SAME_LOWER", 8, 4, 1, 1), (Padded{8, 2, 1}));
  EXPECT_EQ(Same("SAME_UPPER", 8, 4, 1, 1), (Padded{8, 1, 2}));
  EXPECT_EQ(Same("SAME_UPPER", 6, 1, 2, 1), (Padded{3, 0, 0})) << "a stride beyond the window";
  EXPECT_EQ(Same("SAME_LOWER", 9, 2, 5, 1), (Padded{2, 0, 0}));
}

Padded Transposed(const Attributes& attributes, int64_t in, int64_t kernel) {
  const Window window = MakeTransposedWindow(WindowNode(attributes), {1, 1, in}, {kernel});
  return {window.x.out, window.x.pad_begin, window.x.pad_end};
}

TEST(Windows, PaddingOfTransposedOnes) {
  const auto two = std::pair{"strides", Ints({2})};
  EXPECT_EQ(Transposed({two}, 4, 3), (Padded{9, 0, 0}));
  EXPECT_EQ(Transposed({two, {"output_padding", Ints({1})}}, 4, 3), (Padded{10, 0, 0}));
  EXPECT_EQ(Transposed({two, {"pads", Ints({1, 2})}}, 4, 3), (Padded{6, 1, 2}));
  EXPECT_EQ(Transposed({two, {"auto_pad", std::string("SAME_UPPER")}}, 4, 3), (Padded{8, 0, 1}));
  EXPECT_EQ(Transposed({two, {"auto_pad", std::string("SAME_LOWER")}}, 4, 3), (Padded{8, 1, 0}));
  EXPECT_EQ(
      Transposed({two, {"auto_pad", std::string("SAME_UPPER")}, {"dilations", Ints({2})}}, 4, 4),
      (Padded{8, 2, 3}));
  EXPECT_EQ(Transposed({two, {"output_shape", Ints({7})}}, 4, 4), (Padded{7, 2, 1}));
  EXPECT_EQ(Transposed({two, {"output_shape", Ints({1, 1, 7})}}, 4, 4), (Padded{7, 2, 1}));
}

}  // namespace
}  // namespace octet::operators
