// 8 rows of an FP16 panel with FP16 arithmetic, in assembly.
#ifndef OCTET_KERNELS_CONV_F16_ARM_DOTPROD_TALL_INL_H_
#define OCTET_KERNELS_CONV_F16_ARM_DOTPROD_TALL_INL_H_

#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/conv/driver.inl.h"

namespace octet {
namespace {

constexpr uint32_t kPanelRows = 8;  // 16 sums, 8 rows, 2 weights in 32 registers
constexpr size_t kChunk = 64;

// Rows, `row_step` halves from each to the next: `runs` runs of `run` halves, `run_step` apart.
struct Rows16 {
  const uint16_t* first;
  size_t run_step;
};

struct Part {
  const ConvF16Args* args;
  size_t row_step, runs, run;
  // The rows of a tile before `inside_first`, those before `right_first`, and the others.
  Rows16 left, inside, right;
  uint32_t inside_first, right_first;
  const float* bias;
  uint32_t columns;  // most rows of a tile whose windows are copied
  bool flat;         // windows one by one
};

static inline Rows16 RowsAt(const Part& part, uint32_t row) {
  const bool left = row < part.inside_first, right = row >= part.right_first;
  const Rows16& rows = left ? part.left : right ? part.right : part.inside;
  const uint32_t first = left ? 0 : right ? part.right_first : part.inside_first;
  return Rows16{rows.first + (row - first) * part.row_step, rows.run_step};
}

// clang-format off
#define OCTET_ROW(w0, w1, acc0, acc1, x, lane)                \
  "fmla v" #acc0 ".8h, v" #w0 ".8h, v" #x ".h[" #lane "]\n\t" \
  "fmla v" #acc1 ".8h, v" #w1 ".8h, v" #x ".h[" #lane "]\n\t"
#define OCTET_PART(w0, w1, lane, l0, l1, l2, l3, l4)          \
  OCTET_ROW(w0, w1, 16, 17, 0, lane) l0                       \
  OCTET_ROW(w0, w1, 18, 19, 1, lane) l1                       \
  OCTET_ROW(w0, w1, 20, 21, 2, lane) l2                       \
  OCTET_ROW(w0, w1, 22, 23, 3, lane) l3                       \
  OCTET_ROW(w0, w1, 24, 25, 4, lane) l4                       \
  OCTET_ROW(w0, w1, 26, 27, 5, lane)                          \
  OCTET_ROW(w0, w1, 28, 29, 6, lane)                          \
  OCTET_ROW(w0, w1, 30, 31, 7, lane)
#define OCTET_LANE(w0, w1, lane, load) OCTET_PART(w0, w1, lane, load, "", "", "", "")
#define OCTET_WEIGHTS(q, at) "ldr q" #q ", [%[weights], #" #at "]\n\t"
#define OCTET_PAIR(a, b, at) "ldp q" #a ", q" #b ", [%[weights], #" #at "]\n\t"
// A step of depth. The next one's weights, a pair that takes long, are loaded beside it.
#define OCTET_STEP(w0, w1, lane, n0, n1, at) OCTET_LANE(w0, w1, lane, OCTET_PAIR(n0, n1, at))
#define OCTET_LOAD(form, row) "ldr " form #row ", [%[in" #row "], %[at]]\n\t"
#define OCTET_LOAD4(form)                                     \
  OCTET_LOAD(form, 0) OCTET_LOAD(form, 1) OCTET_LOAD(form, 2) OCTET_LOAD(form, 3)
#define OCTET_LOAD8(form)                                     \
  OCTET_LOAD4(form) OCTET_LOAD(form, 4) OCTET_LOAD(form, 5)                     \
  OCTET_LOAD(form, 6) OCTET_LOAD(form, 7)
// Sums of a chunk to those in memory, at first to the bias, and none left. What is widened of one
// row is added and stored while the next one's is widened, which takes most of the time.
#define OCTET_EARLY "ldp q0, q1, [%[from]]\n\t"
#define OCTET_LATER "ldp q2, q3, [%[from], #32]\n\t" "add %[from], %[from], %[row]\n\t"
#define OCTET_NONE(a, b) "movi v" #a ".4s, #0\n\t" "movi v" #b ".4s, #0\n\t"
#define OCTET_WIDEN(form, to, from, half) #form " v" #to ".4s, v" #from "." #half "\n\t"
#define OCTET_ADD(to, from) "fadd v" #to ".4s, v" #to ".4s, v" #from ".4s\n\t"
#define OCTET_STORE(a, b, at) "stp q" #a ", q" #b ", [%[sums], #" #at "]\n\t"
#define OCTET_FLUSH(a, b, x0, x1, x2, x3, y0, y1, y2, y3, at) \
  OCTET_WIDEN(fcvtl, x0, a, 4h) OCTET_ADD(y0, 0) OCTET_ADD(y1, 1)                            \
  OCTET_WIDEN(fcvtl2, x1, a, 8h) OCTET_ADD(y2, 2) OCTET_ADD(y3, 3)                           \
  OCTET_WIDEN(fcvtl, x2, b, 4h) OCTET_STORE(y0, y1, at) OCTET_EARLY                          \
  OCTET_WIDEN(fcvtl2, x3, b, 8h) OCTET_STORE(y2, y3, at + 32) OCTET_LATER OCTET_NONE(a, b)
#define OCTET_FLUSH2(a, b, c, d, at, next)                    \
  OCTET_FLUSH(a, b, 4, 5, 6, 7, 8, 9, 10, 11, at)                                            \
  OCTET_FLUSH(c, d, 8, 9, 10, 11, 4, 5, 6, 7, next)
// Sums of a row as they are. STP would take twice as long as ST1 on a Neoverse N1; a Cortex-A55
// waits for addresses that were just computed.
#define OCTET_KEEP(a, b, to) "st1 {v" #a ".8h, v" #b ".8h}, [%[" #to "]]\n\t"
#define OCTET_KEEP4(a, b, c, d, e, f, g, h)                   \
  OCTET_KEEP(a, b, last) OCTET_KEEP(c, d, at) OCTET_KEEP(e, f, start) OCTET_KEEP(g, h, count)

// What the chunks before the last one came to: of each row 16 floats, `step` behind those before.
struct Earlier {
  const float* from;
  size_t step;
};

// The products of 8 rows: the last chunk's into `last`, those before, with the bias, into `sums`
// where there are any. In assembly: 16 sums, 8 rows, which have to be among the lower 16, and 4
// weights are more registers than the compiler finds room for.
static inline Earlier MultiplyTall(const float16_t* weights, Rows16 from_rows, const Part& part,
                                   const float* bias, float* sums, float16_t* last) {
  const uint16_t* rows = from_rows.first;
  const size_t step = part.row_step;
  const float* from = bias;
  size_t row = 0;  // bytes of a row at `from`
  size_t runs = part.runs, start = 0, at, count, run_left, chunk_left = kChunk;
  __asm__ volatile(
      OCTET_NONE(16, 17) OCTET_NONE(18, 19) OCTET_NONE(20, 21) OCTET_NONE(22, 23)
      OCTET_NONE(24, 25) OCTET_NONE(26, 27) OCTET_NONE(28, 29) OCTET_NONE(30, 31)
      "1:\n\t"  // each run
      "mov %[run_left], %[run]\n\t"
      "mov %[at], %[start]\n\t"
      "2:\n\t"  // to the end of the run or of the chunk
      "cmp %[run_left], %[chunk_left]\n\t"
      "csel %[count], %[run_left], %[chunk_left], lo\n\t"
      "sub %[run_left], %[run_left], %[count]\n\t"
      "sub %[chunk_left], %[chunk_left], %[count]\n\t"
      "subs %[count], %[count], #8\n\t"
      "b.lo 4f\n\t"
      "3:\n\t"  // 8 steps
      OCTET_WEIGHTS(8, 0)
      OCTET_WEIGHTS(9, 16)
      OCTET_LOAD4("q")
      OCTET_PART(8, 9, 0, OCTET_LOAD("q", 4), OCTET_LOAD("q", 5), OCTET_LOAD("q", 6),
                 OCTET_LOAD("q", 7) OCTET_WEIGHTS(10, 32), OCTET_WEIGHTS(11, 48))
      OCTET_STEP(10, 11, 1, 8, 9, 64)
      OCTET_STEP(8, 9, 2, 10, 11, 96)
      OCTET_STEP(10, 11, 3, 8, 9, 128)
      OCTET_STEP(8, 9, 4, 10, 11, 160)
      OCTET_STEP(10, 11, 5, 8, 9, 192)
      "subs %[count], %[count], #8\n\t"
      "add %[at], %[at], #16\n\t"
      OCTET_STEP(8, 9, 6, 10, 11, 224)
      "add %[weights], %[weights], #256\n\t"
      OCTET_LANE(10, 11, 7, "")
      "b.hs 3b\n\t"
      "4:\n\t"
      "adds %[count], %[count], #8\n\t"
      "b.eq 6f\n\t"
      "5:\n\t"  // one by one
      OCTET_WEIGHTS(8, 0)
      OCTET_WEIGHTS(9, 16)
      OCTET_LOAD8("h")
      "add %[at], %[at], #2\n\t"
      "add %[weights], %[weights], #32\n\t"
      OCTET_LANE(8, 9, 0, "")
      "subs %[count], %[count], #1\n\t"
      "b.ne 5b\n\t"
      "6:\n\t"
      "cbnz %[run_left], 7f\n\t"
      "subs %[runs], %[runs], #1\n\t"
      "b.eq 8f\n\t"
      "add %[start], %[start], %[run_step]\n\t"
      "cbnz %[chunk_left], 1b\n\t"
      "7:\n\t"
      OCTET_EARLY OCTET_LATER
      OCTET_WIDEN(fcvtl, 8, 16, 4h) OCTET_WIDEN(fcvtl2, 9, 16, 8h)
      OCTET_WIDEN(fcvtl, 10, 17, 4h) OCTET_WIDEN(fcvtl2, 11, 17, 8h) OCTET_NONE(16, 17)
      OCTET_FLUSH2(18, 19, 20, 21, 0, 64)
      OCTET_FLUSH2(22, 23, 24, 25, 128, 192)
      OCTET_FLUSH2(26, 27, 28, 29, 256, 320)
      OCTET_FLUSH(30, 31, 4, 5, 6, 7, 8, 9, 10, 11, 384)
      OCTET_ADD(4, 0) OCTET_ADD(5, 1) OCTET_ADD(6, 2) OCTET_ADD(7, 3)
      OCTET_STORE(4, 5, 448) OCTET_STORE(6, 7, 480)
      "mov %[from], %[sums]\n\t"
      "mov %[row], #64\n\t"
      "mov %[chunk_left], %[chunk]\n\t"
      "cbnz %[run_left], 2b\n\t"
      "b 1b\n\t"
      "8:\n\t"
      "add %[at], %[last], #32\n\t"
      "add %[start], %[last], #64\n\t"
      "add %[count], %[last], #96\n\t"
      OCTET_KEEP4(16, 17, 18, 19, 20, 21, 22, 23)
      "add %[last], %[last], #128\n\t"
      "add %[at], %[at], #128\n\t"
      "add %[start], %[start], #128\n\t"
      "add %[count], %[count], #128\n\t"
      OCTET_KEEP4(24, 25, 26, 27, 28, 29, 30, 31)
      : [weights] "+r"(weights), [runs] "+r"(runs), [start] "+r"(start), [at] "=&r"(at),
        [count] "=&r"(count), [run_left] "=&r"(run_left), [chunk_left] "+r"(chunk_left),
        [from] "+r"(from), [row] "+r"(row), [last] "+r"(last)
      : [run] "r"(part.run), [run_step] "r"(from_rows.run_step * sizeof(*rows)), [sums] "r"(sums),
        [chunk] "i"(kChunk), [in0] "r"(rows), [in1] "r"(rows + step), [in2] "r"(rows + 2 * step),
        [in3] "r"(rows + 3 * step), [in4] "r"(rows + 4 * step), [in5] "r"(rows + 5 * step),
        [in6] "r"(rows + 6 * step), [in7] "r"(rows + 7 * step)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
        "v29", "v30", "v31");
  return Earlier{from, row / sizeof(*from)};
}
// clang-format on
#undef OCTET_ROW
#undef OCTET_PART
#undef OCTET_LANE
#undef OCTET_WEIGHTS
#undef OCTET_PAIR
#undef OCTET_STEP
#undef OCTET_LOAD
#undef OCTET_LOAD4
#undef OCTET_LOAD8
#undef OCTET_EARLY
#undef OCTET_LATER
#undef OCTET_WIDEN
#undef OCTET_ADD
#undef OCTET_STORE
#undef OCTET_FLUSH
#undef OCTET_FLUSH2
#undef OCTET_KEEP
#undef OCTET_KEEP4
#undef OCTET_NONE

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_ARM_DOTPROD_TALL_INL_H_
