// Pieces of the assembly of conv/arm_dotprod_panels.inl.h. Row r, outputs 4 i .. 4 i + 3: v(8 + 4 r
// + i). Macros of the name NAME5 are of five rows, those of the name NAME6 of six.
#ifndef OCTET_KERNELS_CONV_ARM_DOTPROD_MACROS_INL_H_
#define OCTET_KERNELS_CONV_ARM_DOTPROD_MACROS_INL_H_

// clang-format off
// Half of the rows' sums by moves: loads and moves take turns.
#define OCTET_MOVE(from, to) "mov v" #to ".16b, v" #from ".16b\n\t"
#define OCTET_START5() \
  "ld1 {v8.4s-v11.4s}, [%[channels]]\n\t" \
  "ld1 {v12.4s-v15.4s}, [%[channels]]\n\t" \
  "ld1 {v16.4s-v19.4s}, [%[channels]]\n\t" \
  OCTET_MOVE(8, 20) OCTET_MOVE(9, 21) OCTET_MOVE(10, 22) OCTET_MOVE(11, 23) \
  OCTET_MOVE(8, 24) OCTET_MOVE(9, 25) OCTET_MOVE(10, 26) OCTET_MOVE(11, 27)
#define OCTET_START6() \
  OCTET_START5() \
  OCTET_MOVE(8, 28) OCTET_MOVE(9, 29) OCTET_MOVE(10, 30) OCTET_MOVE(11, 31)
#define OCTET_BY_0_5(op, x) \
  op " v8.4s, v8.4s, v" #x ".4s\n\t" \
  op " v12.4s, v12.4s, v" #x ".4s\n\t" \
  op " v16.4s, v16.4s, v" #x ".4s\n\t" \
  op " v20.4s, v20.4s, v" #x ".4s\n\t" \
  op " v24.4s, v24.4s, v" #x ".4s\n\t"
#define OCTET_BY_0_6(op, x) \
  OCTET_BY_0_5(op, x) \
  op " v28.4s, v28.4s, v" #x ".4s\n\t"
#define OCTET_BY_1_5(op, x) \
  op " v9.4s, v9.4s, v" #x ".4s\n\t" \
  op " v13.4s, v13.4s, v" #x ".4s\n\t" \
  op " v17.4s, v17.4s, v" #x ".4s\n\t" \
  op " v21.4s, v21.4s, v" #x ".4s\n\t" \
  op " v25.4s, v25.4s, v" #x ".4s\n\t"
#define OCTET_BY_1_6(op, x) \
  OCTET_BY_1_5(op, x) \
  op " v29.4s, v29.4s, v" #x ".4s\n\t"
#define OCTET_BY_2_5(op, x) \
  op " v10.4s, v10.4s, v" #x ".4s\n\t" \
  op " v14.4s, v14.4s, v" #x ".4s\n\t" \
  op " v18.4s, v18.4s, v" #x ".4s\n\t" \
  op " v22.4s, v22.4s, v" #x ".4s\n\t" \
  op " v26.4s, v26.4s, v" #x ".4s\n\t"
#define OCTET_BY_2_6(op, x) \
  OCTET_BY_2_5(op, x) \
  op " v30.4s, v30.4s, v" #x ".4s\n\t"
#define OCTET_BY_3_5(op, x) \
  op " v11.4s, v11.4s, v" #x ".4s\n\t" \
  op " v15.4s, v15.4s, v" #x ".4s\n\t" \
  op " v19.4s, v19.4s, v" #x ".4s\n\t" \
  op " v23.4s, v23.4s, v" #x ".4s\n\t" \
  op " v27.4s, v27.4s, v" #x ".4s\n\t"
#define OCTET_BY_3_6(op, x) \
  OCTET_BY_3_5(op, x) \
  op " v31.4s, v31.4s, v" #x ".4s\n\t"
// All rows' vectors of the outputs 0 to 7 (EACH) and 8 to 15 (HIGH).
#define OCTET_EACH5(op, to, from, tail) \
  op " v8." to ", v8." from tail "\n\t" \
  op " v12." to ", v12." from tail "\n\t" \
  op " v16." to ", v16." from tail "\n\t" \
  op " v20." to ", v20." from tail "\n\t" \
  op " v24." to ", v24." from tail "\n\t"
#define OCTET_EACH6(op, to, from, tail) \
  OCTET_EACH5(op, to, from, tail) \
  op " v28." to ", v28." from tail "\n\t"
#define OCTET_HIGH5(op, to, from, tail) \
  op " v10." to ", v10." from tail "\n\t" \
  op " v14." to ", v14." from tail "\n\t" \
  op " v18." to ", v18." from tail "\n\t" \
  op " v22." to ", v22." from tail "\n\t" \
  op " v26." to ", v26." from tail "\n\t"
#define OCTET_HIGH6(op, to, from, tail) \
  OCTET_HIGH5(op, to, from, tail) \
  op " v30." to ", v30." from tail "\n\t"
// Their upper halves from the vectors behind them.
#define OCTET_EACH_UPPER6(op) \
  op " v8.8h, v9.4s\n\t" \
  op " v12.8h, v13.4s\n\t" \
  op " v16.8h, v17.4s\n\t" \
  op " v20.8h, v21.4s\n\t" \
  op " v24.8h, v25.4s\n\t" \
  op " v28.8h, v29.4s\n\t"
#define OCTET_HIGH_UPPER6(op) \
  op " v10.8h, v11.4s\n\t" \
  op " v14.8h, v15.4s\n\t" \
  op " v18.8h, v19.4s\n\t" \
  op " v22.8h, v23.4s\n\t" \
  op " v26.8h, v27.4s\n\t" \
  op " v30.8h, v31.4s\n\t"
// The lower halves of all outputs' words.
#define OCTET_EACH_WORDS5() \
  "uzp1 v8.8h, v8.8h, v9.8h\n\t" "uzp1 v10.8h, v10.8h, v11.8h\n\t" \
  "uzp1 v12.8h, v12.8h, v13.8h\n\t" "uzp1 v14.8h, v14.8h, v15.8h\n\t" \
  "uzp1 v16.8h, v16.8h, v17.8h\n\t" "uzp1 v18.8h, v18.8h, v19.8h\n\t" \
  "uzp1 v20.8h, v20.8h, v21.8h\n\t" "uzp1 v22.8h, v22.8h, v23.8h\n\t" \
  "uzp1 v24.8h, v24.8h, v25.8h\n\t" "uzp1 v26.8h, v26.8h, v27.8h\n\t"
#define OCTET_EACH_WORDS6() \
  OCTET_EACH_WORDS5() \
  "uzp1 v28.8h, v28.8h, v29.8h\n\t" "uzp1 v30.8h, v30.8h, v31.8h\n\t"
#define OCTET_JOIN5(op) \
  op " v8.16b, v10.8h\n\t" \
  op " v12.16b, v14.8h\n\t" \
  op " v16.16b, v18.8h\n\t" \
  op " v20.16b, v22.8h\n\t" \
  op " v24.16b, v26.8h\n\t"
#define OCTET_JOIN6(op) \
  OCTET_JOIN5(op) \
  op " v28.16b, v30.8h\n\t"
#define OCTET_LOOK_UP5(op, from) \
  op " v9.16b, " from ", v8.16b\n\t" \
  op " v13.16b, " from ", v12.16b\n\t" \
  op " v17.16b, " from ", v16.16b\n\t" \
  op " v21.16b, " from ", v20.16b\n\t" \
  op " v25.16b, " from ", v24.16b\n\t"
#define OCTET_LOOK_UP6(op, from) \
  OCTET_LOOK_UP5(op, from) \
  op " v29.16b, " from ", v28.16b\n\t"
#define OCTET_SUMS6() \
  "stp q8, q9, [%[at], #64 * 0]\n\t" "stp q10, q11, [%[at], #64 * 0 + 32]\n\t" \
  "stp q12, q13, [%[at], #64 * 1]\n\t" "stp q14, q15, [%[at], #64 * 1 + 32]\n\t" \
  "stp q16, q17, [%[at], #64 * 2]\n\t" "stp q18, q19, [%[at], #64 * 2 + 32]\n\t" \
  "stp q20, q21, [%[at], #64 * 3]\n\t" "stp q22, q23, [%[at], #64 * 3 + 32]\n\t" \
  "stp q24, q25, [%[at], #64 * 4]\n\t" "stp q26, q27, [%[at], #64 * 4 + 32]\n\t" \
  "stp q28, q29, [%[at], #64 * 5]\n\t" "stp q30, q31, [%[at], #64 * 5 + 32]\n\t"
#define OCTET_STORE2(a, b)                               \
  "str q" #a ", [%[output]]\n\t"                         \
  "str q" #b ", [%[output], %[in0]]\n\t"                 \
  "add %[output], %[output], %[in0], lsl #1\n\t"
#define OCTET_STORE1(a)                                  \
  "str q" #a ", [%[output]]\n\t"                         \
  "add %[output], %[output], %[in0]\n\t"
#define OCTET_STORE5(a, b, c, d, e, f) OCTET_STORE2(a, b) OCTET_STORE2(c, d) OCTET_STORE1(e)
#define OCTET_STORE6(a, b, c, d, e, f) OCTET_STORE2(a, b) OCTET_STORE2(c, d) OCTET_STORE2(e, f)
// Sums to requantized words.
#define OCTET_SCALE(N) \
      "ldp q0, q1, [%[channels], #128]\n\t" \
      "ldp q2, q3, [%[channels], #160]\n\t" \
      OCTET_BY_0_##N("sqdmulh", 0) \
      "ldp q4, q5, [%[channels], #192]\n\t" \
      OCTET_BY_1_##N("sqdmulh", 1) \
      "ldp q6, q7, [%[channels], #224]\n\t" \
      OCTET_BY_2_##N("sqdmulh", 2) \
      "neg v4.4s, v4.4s\n\t" \
      "neg v5.4s, v5.4s\n\t" \
      OCTET_BY_3_##N("sqdmulh", 3) \
      "neg v6.4s, v6.4s\n\t" \
      "neg v7.4s, v7.4s\n\t" \
      OCTET_BY_0_##N("srshl", 4) \
      OCTET_BY_1_##N("srshl", 5) \
      "ldr q0, [%[tail]]\n\t"  /* zero point */ \
      OCTET_BY_2_##N("srshl", 6) \
      OCTET_BY_3_##N("srshl", 7)
// Those of which some may have more than 16 bits.
#define OCTET_LARGE6() \
      "13:\n\t" \
      OCTET_SCALE(6) \
      OCTET_EACH6("sqxtn", "4h", "4s", "") \
      OCTET_HIGH6("sqxtn", "4h", "4s", "") \
      OCTET_EACH_UPPER6("sqxtn2") \
      OCTET_HIGH_UPPER6("sqxtn2") \
      "b 14b\n\t"
// Requantizes and stores, as Finish16() does; to the next panel.
#define OCTET_FINISH(N, to_keep, to_large) \
      "ldp %[in0], %[at], [%[args], #32]\n\t"  /* stride, plain */ \
      to_keep \
      to_large \
      OCTET_SCALE(N) \
      OCTET_EACH_WORDS##N() \
      "14:\n\t" \
      OCTET_EACH##N("sqadd", "8h", "8h", ", v0.8h") \
      OCTET_HIGH##N("sqadd", "8h", "8h", ", v0.8h") \
      OCTET_EACH##N("sqxtn", "8b", "8h", "") \
      OCTET_JOIN##N("sqxtn2") \
      "ldrb %w[at], [%[tail], %[clamps]]\n\t" \
      "cbz %w[at], 7f\n\t" \
      "ldp q1, q2, [%[tail], #16]\n\t" \
      OCTET_EACH##N("smax", "16b", "16b", ", v1.16b") \
      OCTET_EACH##N("smin", "16b", "16b", ", v2.16b") \
      "7:\n\t" \
      "ldr %[at], [%[tail], %[table]]\n\t" \
      "cbz %[at], 8f\n\t" \
      /* As LookUp(), two quarters of the table at a time: those of q >= 0 first. */ \
      "add %[left], %[at], #128\n\t" \
      "movi v10.16b, #64\n\t" \
      "ld1 {v0.16b-v3.16b}, [%[left]], #64\n\t" \
      "ld1 {v4.16b-v7.16b}, [%[left]]\n\t" \
      OCTET_LOOK_UP##N("tbl", "{v0.16b-v3.16b}") \
      OCTET_EACH##N("sub", "16b", "16b", ", v10.16b") \
      OCTET_LOOK_UP##N("tbx", "{v4.16b-v7.16b}") \
      "ld1 {v0.16b-v3.16b}, [%[at]], #64\n\t" \
      OCTET_EACH##N("sub", "16b", "16b", ", v10.16b") \
      "ld1 {v4.16b-v7.16b}, [%[at]]\n\t" \
      OCTET_LOOK_UP##N("tbx", "{v0.16b-v3.16b}") \
      OCTET_EACH##N("sub", "16b", "16b", ", v10.16b") \
      OCTET_LOOK_UP##N("tbx", "{v4.16b-v7.16b}") \
      OCTET_STORE##N(9, 13, 17, 21, 25, 29) \
      "b 9f\n\t" \
      "8:\n\t" \
      OCTET_STORE##N(8, 12, 16, 20, 24, 28) \
      "9:\n\t" \
      "ldr %[at], [%[args], #16]\n\t" \
      "sub %[pointers], %[pointers], %[at]\n\t" \
      "subs %w[panels], %w[panels], #1\n\t" \
      "b.ne 0b\n\t" \
      "b 11f\n\t"
// Or keeps the sums.
#define OCTET_KEEP6() \
      "10:\n\t" \
      "ldr %[at], [%[args], #24]\n\t" \
      OCTET_SUMS6() \
      "11:\n\t"
// The pointers of a line of three taps: of rows 0 to `last`, whose register is given, and of the two
// pixels behind them.
#define OCTET_LINE(last, next, then, offset) \
      "cmp %[next_line], %[next_tap]\n\t" \
      "add %[" next "], %[" last "], %[slide]\n\t" \
      "add %[" then "], %[" next "], %[slide]\n\t" \
      "b.eq 21f\n\t" \
      "ldr %[" next "], [%[pointers], %[next_tap] + " offset "]\n\t" \
      "ldr %[" then "], [%[pointers], 2 * %[next_tap] + " offset "]\n\t" \
      "21:\n\t" \
      "add %[pointers], %[pointers], %[next_line]\n\t" \
      "add %[second], %[weights], %[slide], lsl #4\n\t" \
      "add %[third], %[second], %[slide], lsl #4\n\t" \
      "mov %[at], #0\n\t" \
      "mov %[left], %[slide]\n\t"
// 4 outputs of all rows: row 0's dot product, a load for later, the other rows'. Row r's channels
// are v<xr>.
#define OCTET_QUAD(a0, a1, a2, a3, a4, a5, w, lane, load, x0, x1, x2, x3, x4, x5) \
  "sdot v" #a0 ".4s, v" #w ".16b, v" #x0 ".4b[" #lane "]\n\t"    \
  load                                                           \
  "sdot v" #a1 ".4s, v" #w ".16b, v" #x1 ".4b[" #lane "]\n\t"    \
  "sdot v" #a2 ".4s, v" #w ".16b, v" #x2 ".4b[" #lane "]\n\t"    \
  "sdot v" #a3 ".4s, v" #w ".16b, v" #x3 ".4b[" #lane "]\n\t"    \
  "sdot v" #a4 ".4s, v" #w ".16b, v" #x4 ".4b[" #lane "]\n\t"    \
  "sdot v" #a5 ".4s, v" #w ".16b, v" #x5 ".4b[" #lane "]\n\t"
#define OCTET_LOAD(w, base, at) "ldr q" #w ", [%[" base "], #" #at "]\n\t"
#define OCTET_WEIGHTS(w, at) OCTET_LOAD(w, "weights", at)
// 4 channels x 16 outputs, weights from base + from + 64 * lane on; the first are in v6.
#define OCTET_LANE_OF(base, from, lane, last, x0, x1, x2, x3, x4, x5)                       \
  OCTET_QUAD(8, 12, 16, 20, 24, 28, 6, lane, OCTET_LOAD(7, base, from + 64 * lane + 16),    \
             x0, x1, x2, x3, x4, x5)                                                        \
  OCTET_QUAD(9, 13, 17, 21, 25, 29, 7, lane, OCTET_LOAD(6, base, from + 64 * lane + 32),    \
             x0, x1, x2, x3, x4, x5)                                                        \
  OCTET_QUAD(10, 14, 18, 22, 26, 30, 6, lane, OCTET_LOAD(7, base, from + 64 * lane + 48),   \
             x0, x1, x2, x3, x4, x5)                                                        \
  OCTET_QUAD(11, 15, 19, 23, 27, 31, 7, lane, last, x0, x1, x2, x3, x4, x5)
#define OCTET_LANE(from, lane, last) \
  OCTET_LANE_OF("weights", from, lane, last, 0, 1, 2, 3, 4, 5)
// 16 channels of a tap.
#define OCTET_TAP(base, counting, last, x0, x1, x2, x3, x4, x5)                     \
  OCTET_LANE_OF(base, 0, 0, OCTET_LOAD(6, base, 64), x0, x1, x2, x3, x4, x5)        \
  OCTET_LANE_OF(base, 0, 1, OCTET_LOAD(6, base, 128), x0, x1, x2, x3, x4, x5)       \
  counting                                                                          \
  OCTET_LANE_OF(base, 0, 2, OCTET_LOAD(6, base, 192), x0, x1, x2, x3, x4, x5)       \
  OCTET_LANE_OF(base, 0, 3, last, x0, x1, x2, x3, x4, x5)
#define OCTET_LOAD6(form)                                \
  "ldr " form "0, [%[in0], %[at]]\n\t"                   \
  "ldr " form "1, [%[in1], %[at]]\n\t"                   \
  "ldr " form "2, [%[in2], %[at]]\n\t"                   \
  "ldr " form "3, [%[in3], %[at]]\n\t"                   \
  "ldr " form "4, [%[in4], %[at]]\n\t"                   \
  "ldr " form "5, [%[in5], %[at]]\n\t"
// 16 channels, weights from `from` on; `counting` stands among the products.
#define OCTET_16(from, counting)                         \
  OCTET_WEIGHTS(6, from)                                 \
  OCTET_LOAD6("q")                                       \
  OCTET_LANE(from, 0, OCTET_WEIGHTS(6, from + 64))       \
  OCTET_LANE(from, 1, OCTET_WEIGHTS(6, from + 128))      \
  "add %[at], %[at], #16\n\t"                            \
  counting                                               \
  OCTET_LANE(from, 2, OCTET_WEIGHTS(6, from + 192))      \
  OCTET_LANE(from, 3, "")
// The same with five rows, two vectors of weights at a time: there are registers for the pair that
// is multiplied and the next one.
#define OCTET_QUAD5(i0, i1, i2, i3, i4, w, lane, load, x0, x1, x2, x3, x4) \
  "sdot v" #i0 ".4s, v" #w ".16b, v" #x0 ".4b[" #lane "]\n\t" \
  load \
  "sdot v" #i1 ".4s, v" #w ".16b, v" #x1 ".4b[" #lane "]\n\t" \
  "sdot v" #i2 ".4s, v" #w ".16b, v" #x2 ".4b[" #lane "]\n\t" \
  "sdot v" #i3 ".4s, v" #w ".16b, v" #x3 ".4b[" #lane "]\n\t" \
  "sdot v" #i4 ".4s, v" #w ".16b, v" #x4 ".4b[" #lane "]\n\t"
#define OCTET_PAIR(a, b, base, at) "ldp q" #a ", q" #b ", [%[" base "], #" #at "]\n\t"
#define OCTET_LANE5(base, lane, next, x0, x1, x2, x3, x4) \
  OCTET_QUAD5(8, 12, 16, 20, 24, 28, lane, OCTET_PAIR(30, 31, base, 64 * lane + 32), x0, x1, x2, x3, x4) \
  OCTET_QUAD5(9, 13, 17, 21, 25, 29, lane, "", x0, x1, x2, x3, x4) \
  OCTET_QUAD5(10, 14, 18, 22, 26, 30, lane, next, x0, x1, x2, x3, x4) \
  OCTET_QUAD5(11, 15, 19, 23, 27, 31, lane, "", x0, x1, x2, x3, x4)
#define OCTET_TAP5(base, counting, last, x0, x1, x2, x3, x4) \
  OCTET_LANE5(base, 0, OCTET_PAIR(28, 29, base, 64), x0, x1, x2, x3, x4) \
  OCTET_LANE5(base, 1, OCTET_PAIR(28, 29, base, 128), x0, x1, x2, x3, x4) \
  counting \
  OCTET_LANE5(base, 2, OCTET_PAIR(28, 29, base, 192), x0, x1, x2, x3, x4) \
  OCTET_LANE5(base, 3, last, x0, x1, x2, x3, x4)
// clang-format on

#endif  // OCTET_KERNELS_CONV_ARM_DOTPROD_MACROS_INL_H_
