// What others copy to begin a port builds, links, and does nothing harmful.
#include <gtest/gtest.h>

#include "ports/template/board.h"

namespace octet::board {
namespace {

OCTET_BOARD_WORK unsigned char work[64];

TEST(Template, EveryBodyIsThere) {
  Start();
  Write("nobody listens\n");
  const uint64_t first = Ticks();
  EXPECT_GE(Ticks(), first);
  const Memory memory = MeasureMemory();
  EXPECT_EQ(memory.flash_bytes + memory.data_bytes + memory.stack_bytes, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(work) % 64, 0u);  // as octet_bind asks
  EXPECT_NE(&Exit, nullptr);
}

}  // namespace
}  // namespace octet::board
