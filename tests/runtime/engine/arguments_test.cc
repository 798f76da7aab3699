// What the C API refuses at the first index, count or size that is wrong, and takes at the last one
// that is right.
#include <gtest/gtest.h>

#include <vector>

#include "octet/octet.h"
#include "runtime/core/isa.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

TEST(Arguments, Indices) {
  const Blob blob = MakeMixedBlob();
  const TestSession bound(blob, {});
  octet_session* session = bound.get();
  EXPECT_STREQ(octet_label(session, 0), "a");
  EXPECT_STREQ(octet_label(session, 1), "b");
  EXPECT_EQ(octet_label_count(session), 2u);
  EXPECT_EQ(octet_label(session, 2), nullptr);
  EXPECT_STREQ(octet_plan_name(session, 1), "fp16");
  EXPECT_EQ(octet_plan_name(session, 2), nullptr);
  octet_tensor_info info;
  EXPECT_EQ(octet_input_info(session, 1, &info).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_output_info(session, 2, &info).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_input_info(session, 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_output_info(session, 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  ASSERT_EQ(octet_output_info(session, 1, &info).code, OCTET_OK);
  EXPECT_STREQ(info.name, "joined");
  EXPECT_EQ(info.rank, 3u);
  EXPECT_EQ(info.dims[1], 16u);
  EXPECT_EQ(info.element_count, 32u);
  EXPECT_EQ(info.is_image, 0u);
  ASSERT_EQ(octet_input_info(session, 0, &info).code, OCTET_OK);
  EXPECT_EQ(info.is_image, 1u);
  EXPECT_EQ(info.channels, 3u);
  octet_tensor_view view;
  EXPECT_EQ(octet_input_view(session, 1, &view).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_input_view(session, 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_output_part_count(session, 0), 1u);
  EXPECT_EQ(octet_output_part_count(session, 1), 2u);
  EXPECT_EQ(octet_output_part_count(session, 2), 0u);
  EXPECT_EQ(octet_output_view(session, 1, 1, &view).code, OCTET_OK);
  EXPECT_EQ(view.base, 1u);
  EXPECT_EQ(octet_output_view(session, 1, 2, &view).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_output_view(session, 2, 0, &view).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_output_view(session, 1, 1, nullptr).code, OCTET_INVALID_ARGUMENT);
  const uint32_t layers = octet_layer_count(session);
  octet_layer_info layer;
  EXPECT_EQ(octet_layer(session, layers - 1, &layer).code, OCTET_OK);
  EXPECT_STREQ(layer.name, "softmax");
  EXPECT_EQ(octet_layer(session, layers, &layer).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_layer(session, 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_run_layer(session, layers).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_plan_mask(session), 3u);
  for (const uint32_t plan : {2u, 7u, 8u, 32u, 33u, ~0u}) {
    EXPECT_EQ(octet_set_plan(session, plan).code, OCTET_INVALID_ARGUMENT) << plan;
  }
  EXPECT_EQ(octet_plan(session), 0u);
  EXPECT_EQ(octet_resident_plans(session), 3u);
  for (const uint32_t mask : {0u, 4u, 5u, 1u << 31}) {
    EXPECT_EQ(octet_set_resident_plans(session, mask).code, OCTET_INVALID_ARGUMENT) << mask;
  }
  EXPECT_EQ(octet_set_resident_plans(session, 1).code, OCTET_OK);
  EXPECT_EQ(octet_set_plan(session, 1).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_resident_plans(session), 1u);
  EXPECT_EQ(octet_plan_mask(session), 3u);
  EXPECT_EQ(octet_set_resident_plans(session, 3).code, OCTET_OK);
  EXPECT_EQ(octet_set_plan(session, 1).code, OCTET_OK);
  EXPECT_EQ(octet_plan(session), 1u);
}

TEST(Arguments, Floats) {
  const Blob blob = MakeConvBlob({.height = 2, .width = 2, .in_c = 3, .out_c = 5});
  const TestSession bound(blob, {});
  octet_session* session = bound.get();
  std::vector<float> in(13), out(21);
  EXPECT_EQ(octet_set_input_f32(session, 0, in.data(), 12).code, OCTET_OK);
  EXPECT_EQ(octet_set_input_f32(session, 0, in.data(), 11).code, OCTET_SHAPE_MISMATCH);
  EXPECT_EQ(octet_set_input_f32(session, 0, in.data(), 13).code, OCTET_SHAPE_MISMATCH);
  EXPECT_EQ(octet_set_input_f32(session, 1, in.data(), 12).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_set_input_f32(session, 0, nullptr, 12).code, OCTET_INVALID_ARGUMENT);
  octet_run(session);
  EXPECT_EQ(octet_get_output(session, 0, out.data(), 20).code, OCTET_OK);
  EXPECT_EQ(octet_get_output(session, 0, out.data(), 19).code, OCTET_SHAPE_MISMATCH);
  EXPECT_EQ(octet_get_output(session, 0, out.data(), 21).code, OCTET_SHAPE_MISMATCH);
  EXPECT_EQ(octet_get_output(session, 1, out.data(), 20).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_get_output(session, 0, nullptr, 20).code, OCTET_INVALID_ARGUMENT);
}

TEST(Arguments, Frames) {
  const Blob blob = MakeMixedBlob();
  const TestSession bound(blob, {});
  octet_session* session = bound.get();
  const std::vector<uint8_t> pixels(48);
  const auto code = [&](uint32_t index, octet_pixel_format format) {
    octet_frame frame = {};
    frame.format = format;
    frame.width = frame.height = 4;
    for (uint32_t p = 0; p < 3; ++p) frame.planes[p] = pixels.data(), frame.strides[p] = 12;
    return octet_set_input_frame(session, index, &frame).code;
  };
  EXPECT_EQ(code(0, OCTET_PIXELS_YUYV), OCTET_OK);
  EXPECT_EQ(code(0, OCTET_PIXELS_YUYV + 1), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(1, OCTET_PIXELS_YUYV), OCTET_INVALID_ARGUMENT);
}

TEST(Arguments, Levels) {
  octet_isa isa = 99;
  EXPECT_EQ(octet_isa_from_name("reference", &isa).code, OCTET_OK);
  EXPECT_EQ(isa, OCTET_ISA_REFERENCE);
  for (octet_isa level = OCTET_ISA_REFERENCE; level < kIsaCount; ++level) {
    EXPECT_EQ(octet_isa_from_name(octet_isa_name(level), &isa).code, OCTET_OK);
    EXPECT_EQ(isa, level);
  }
  for (const char* name : {"", "avx", "avx22", "referenc", "reference "}) {
    EXPECT_EQ(octet_isa_from_name(name, &isa).code, OCTET_INVALID_ARGUMENT) << name;
  }
  EXPECT_EQ(octet_isa_from_name(nullptr, &isa).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_isa_from_name("avx2", nullptr).code, OCTET_INVALID_ARGUMENT);
  EXPECT_STREQ(octet_isa_name(kIsaCount), "unknown");
  EXPECT_EQ(octet_isa_built(OCTET_ISA_REFERENCE), 1);
  EXPECT_EQ(octet_isa_built(kIsaCount), 0);
  EXPECT_NE(octet_isa_built(OCTET_ISA_AVX2) != 0 && octet_isa_built(OCTET_ISA_NEON) != 0, true)
      << "kernels of two architectures";
}

TEST(Arguments, ArenaBytes) {
  const Blob blob = MakeConvBlob({});
  size_t bytes = 0;
  const auto code = [&](octet_isa isa, uint32_t threads, uint32_t mask = 0) {
    return octet_arena_bytes(blob.data(), blob.size(), isa, threads, mask, &bytes).code;
  };
  EXPECT_EQ(code(kIsaCount - 1, 256), OCTET_OK);
  EXPECT_EQ(code(kIsaCount, 1), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(OCTET_ISA_REFERENCE, 257), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(OCTET_ISA_REFERENCE, 0), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(OCTET_ISA_REFERENCE, 1, 1), OCTET_OK);
  EXPECT_EQ(code(OCTET_ISA_REFERENCE, 1, 2), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_arena_bytes(blob.data(), blob.size(), 0, 1, 0, nullptr).code,
            OCTET_INVALID_ARGUMENT);
}

uint32_t runs_in_pool = 0;
void RunInPool(void* context, void (*task)(void*, uint32_t), void* argument) {
  ++runs_in_pool;
  for (uint32_t i = 0; i < *static_cast<uint32_t*>(context); ++i) task(argument, i);
}

TEST(Arguments, Bind) {
  const Blob blob = MakeConvBlob({});
  size_t bytes = 0;
  ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), 0, 256, 0, &bytes).code, OCTET_OK);
  AlignedBytes arena(bytes);
  octet_config config;
  octet_pool pool;
  octet_session* session = nullptr;
  uint32_t threads = 1;
  const auto reset = [&] {
    config = {};
    config.size = sizeof(config);
    pool = {};
    pool.size = sizeof(pool);
    pool.context = &threads;
    pool.run = RunInPool;
  };
  const auto code = [&](octet_session** to) {
    return octet_bind(blob.data(), blob.size(), arena.data(), arena.size(), &config, to).code;
  };
  reset();
  EXPECT_EQ(code(&session), OCTET_OK);
  EXPECT_EQ(code(nullptr), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_bind(blob.data(), blob.size(), nullptr, arena.size(), &config, &session).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(session, nullptr) << "of the call before";
  EXPECT_EQ(
      octet_bind(blob.data(), blob.size(), arena.data(), arena.size(), nullptr, &session).code,
      OCTET_INVALID_ARGUMENT);
  config.isa = kIsaCount;
  EXPECT_EQ(code(&session), OCTET_INVALID_ARGUMENT);
  config.isa = octet_isa_built(OCTET_ISA_NEON) != 0 ? OCTET_ISA_AVX2 : OCTET_ISA_NEON;
  EXPECT_EQ(code(&session), OCTET_ISA_UNAVAILABLE);
  reset();
  config.verify_hashes = OCTET_VERIFY_PORTABLE;
  EXPECT_NE(code(&session), OCTET_INVALID_ARGUMENT);
  config.verify_hashes = OCTET_VERIFY_SHA_INSTRUCTIONS;
  EXPECT_NE(code(&session), OCTET_INVALID_ARGUMENT) << "the last mode that there is";
  config.verify_hashes = OCTET_VERIFY_SHA_INSTRUCTIONS + 1;
  EXPECT_EQ(code(&session), OCTET_INVALID_ARGUMENT);
  reset();
  config.cpu_features = OCTET_CPU_AVX512_VBMI;  // not asked for by the reference
  EXPECT_EQ(code(&session), OCTET_OK);
  for (const uint64_t unknown : {uint64_t{OCTET_CPU_AVX512_VBMI} << 1, uint64_t{1} << 32}) {
    config.cpu_features = unknown;
    EXPECT_EQ(code(&session), OCTET_INVALID_ARGUMENT) << unknown;
  }
  reset();
  config.pool = &pool;
  for (const uint32_t count : {0u, 1u, 2u, 256u, 257u}) {
    threads = pool.thread_count = count;
    const bool right = count != 0 && count <= 256;
    ASSERT_EQ(code(&session), right ? OCTET_OK : OCTET_INVALID_ARGUMENT) << count;
    if (!right) continue;
    runs_in_pool = 0;
    octet_run(session);
    EXPECT_EQ(runs_in_pool, count > 1 ? 1u : 0u) << "a pool of one is no pool";
  }
  pool.thread_count = 2;
  pool.run = nullptr;
  EXPECT_EQ(code(&session), OCTET_INVALID_ARGUMENT);
  pool.run = RunInPool;
  pool.size = 0;
  EXPECT_EQ(code(&session), OCTET_INVALID_ARGUMENT);
}

uint64_t now = 0;
uint64_t Clock() {
  now += 10 + now / 100;
  return now;
}

TEST(Profile, TicksOfEveryLayer) {
  const Blob blob = MakeMixedBlob();
  now = 0;
  const TestSession bound(blob, {.ticks = Clock});
  octet_run(bound.get());
  uint64_t before = 10;
  for (uint32_t k = 0; k < octet_layer_count(bound.get()); ++k) {
    octet_layer_info layer;
    octet_layer(bound.get(), k, &layer);
    EXPECT_EQ(layer.ticks, 10 + before / 100) << k;
    before += layer.ticks;
  }
  EXPECT_EQ(now, before) << "asked once before the run and once behind each layer";
}

TEST(Profile, WorkOfALayer) {
  const Blob blob = MakeConvBlob({.height = 5, .width = 6, .in_c = 3, .out_c = 20, .kernel = 1});
  const TestSession bound(blob, {});
  octet_layer_info layer;
  ASSERT_EQ(octet_layer(bound.get(), 0, &layer).code, OCTET_OK);
  EXPECT_EQ(layer.macs, 5u * 6 * 3 * 20);
  EXPECT_EQ(layer.precision, 0u);
  EXPECT_EQ(layer.weight_bytes, 2u * 64);
  EXPECT_EQ(layer.ticks, 0u);
  EXPECT_EQ(octet_macs(bound.get()), layer.macs);
  EXPECT_GE(octet_steps(bound.get()), layer.macs);
}

}  // namespace
}  // namespace octet::test
