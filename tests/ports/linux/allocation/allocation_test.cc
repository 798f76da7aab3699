// No allocation between the return of bind and the last frame, by counting every entry of the
// allocator.
#include <errno.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "octet/state.h"
#include "ports/linux/camera/program/guard/metrics.h"
#include "ports/linux/metrics/metrics.h"
#include "ports/linux/thermal/sensor.h"
#include "ports/linux/thread_pool.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"
#include "tests/support/states_blob.h"

namespace {
std::atomic<bool> counting{false};
std::atomic<int> calls{0};

void Count() {
  if (counting.load(std::memory_order_relaxed)) calls.fetch_add(1);
}
}  // namespace

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t bytes) {
  Count();
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  Count();
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  Count();
  return __libc_realloc(memory, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  Count();
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  Count();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  Count();
  *memory = __libc_memalign(alignment, bytes);
  return *memory != nullptr ? 0 : ENOMEM;
}
void free(void* memory) {
  if (memory != nullptr) Count();
  __libc_free(memory);
}
}

namespace octet::test {
namespace {

TEST(Allocation, TheCounterCounts) {
  calls = 0;
  counting = true;
  void* volatile memory = std::malloc(10);
  std::free(memory);
  counting = false;
  EXPECT_EQ(calls.load(), 2);
}

TEST(Allocation, NoneFromBindToTheLastFrame) {
  const Blob blob = MakeMixedBlob();
  const std::vector<uint8_t> picture(9 * 7 * 3, 77);
  const octet_frame nv12 = {
      sizeof(octet_frame), OCTET_PIXELS_NV12, 9, 7, {picture.data(), picture.data() + 63, nullptr},
      {9, 10, 0}};
  const std::vector<float> floats(48, 0.5f);
  std::vector<float> scores(32), joined(32);
  for (const octet_isa isa : RunnableLevels()) {
    for (const uint32_t threads : {1u, 2u, 3u}) {
      port::ThreadPool pool(threads);
      size_t arena_bytes = 0;
      ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), isa, threads, 0, &arena_bytes).code,
                OCTET_OK);
      AlignedBytes arena(arena_bytes);
      octet_config config{};
      config.isa = isa;
      config.pool = pool.pool();
      octet_session* session = nullptr;
      calls = 0;
      counting = true;  // from before bind: it allocates nothing either
      octet_status status =
          octet_bind(blob.data(), blob.size(), arena.data(), arena.size(), &config, &session);
      for (uint32_t frame = 0; frame < 20 && status.code == OCTET_OK; ++frame) {
        octet_set_plan(session, frame % 2);
        if (frame % 3 == 0) {
          octet_set_input_f32(session, 0, floats.data(), floats.size());
        } else if (frame % 3 == 1) {
          octet_set_input_frame(session, 0, &nv12);
        } else {
          octet_set_input_image(session, 0, picture.data(), 9, 7, 3, 21);
        }
        octet_run(session);
        octet_get_output(session, 0, scores.data(), scores.size());
        octet_get_output(session, 1, joined.data(), joined.size());
      }
      counting = false;
      EXPECT_EQ(status.code, OCTET_OK);
      EXPECT_EQ(calls.load(), 0) << octet_isa_name(isa) << ", " << threads << " threads";
    }
  }
}

// States: frames, changes of the plan, copies, runs aside and resets.
TEST(Allocation, NoneWithStates) {
  const Blob blob = MakeStatesBlob();
  for (const octet_isa isa : RunnableLevels()) {
    size_t arena_bytes = 0;
    ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), isa, 1, 0, &arena_bytes).code, OCTET_OK);
    AlignedBytes arena(arena_bytes), copy(1 << 16);
    octet_config config{};
    config.isa = isa;
    octet_session* session = nullptr;
    const octet_status bound =
        octet_bind(blob.data(), blob.size(), arena.data(), arena.size(), &config, &session);
    ASSERT_EQ(bound.code, OCTET_OK);
    octet_state_info info{};
    info.size = sizeof(info);
    octet_tensor_info input{};
    input.size = sizeof(input);
    ASSERT_EQ(octet_input_info(session, 0, &input).code, OCTET_OK);
    const std::vector<float> numbers(input.element_count, 0.25f);
    int done = 0;
    calls = 0;
    counting = true;
    for (uint32_t frame = 0; frame < 20; ++frame) {
      octet_set_plan(session, frame % 2);
      octet_set_input_f32(session, 0, numbers.data(), numbers.size());
      octet_run(session);
      done += octet_state_describe(session, &info).code == OCTET_OK;
      done += octet_state_get(session, copy.data(), info.bytes).code == OCTET_OK;
      octet_aside_begin(session);
      octet_run(session);
      octet_aside_end(session);
      if (frame % 3 == 0) done += octet_reset(session).code == OCTET_OK;
      done += octet_state_set(session, copy.data(), info.bytes).code == OCTET_OK;
    }
    counting = false;
    EXPECT_EQ(done, 67) << "all of it was done";
    EXPECT_EQ(calls.load(), 0) << octet_isa_name(isa);
  }
}

TEST(Allocation, NoneForTexts) {
  BlobBuilder b;
  b.AddOutput("y", b.AddInput("x", {1, 1, 6, 4}));
  blob::DecodeRecord record{};
  record.class_count = 4;
  record.class_activation = blob::Activation::kSoftmax;
  blob::DecodeLevel level{};
  level.grid_h = level.anchor_count = 1, level.grid_w = 6;
  level.scores = {0, 0, 0, 0, 4, 1};
  b.SetDecode(blob::Task::kText, record, {level}, {});
  const Blob blob = b.Build();
  TestSession session(blob, {});
  AlignedBytes memory(octet_decode_bytes(session.get()));
  session.SetInput(0, {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
  octet_class_score characters[6];
  uint32_t count = 0, size = 0;
  calls = 0;
  counting = true;
  octet_run(session.get());
  octet_text_size(session.get(), &size);
  octet_text(session.get(), memory.data(), characters, size, &count);
  counting = false;
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(calls.load(), 0);
}

// Numbers of the loop, their text, and a reading of the thermometer.
TEST(Allocation, NoneForMetricsAndTemperature) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "octet-allocation-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  fs::create_directory(folder + "/thermal_zone0");
  std::ofstream(folder + "/thermal_zone0/type") << "cpu-thermal\n";
  std::ofstream(folder + "/thermal_zone0/temp") << "51000\n";
  const port::ThermalSensor sensor(folder, {});
  port::BlobDescription blob;
  blob.AddPlan("int8");
  port::LayerNames layers;
  for (int i = 0; i < 16; ++i) layers.Add("a layer whose name is longer than a short string");
  port::Metrics metrics(0);
  port::CameraMetrics& camera = metrics.AddCamera("");
  auto& guard = camera.Numbers<port::GuardNumbers>();
  port::Exposition text(port::Metrics::kTextBytes);
  port::ThermalReading reading;
  calls = 0;
  counting = true;
  metrics.SetBlob(blob);
  guard.SetLayers(layers);
  for (uint32_t i = 0; i < 100; ++i) {
    reading = sensor.Read();
    metrics.SetTemperature(reading.celsius());
    camera.AddResult(i * 1'000'000, i * 2'000'000);
    camera.SetFrames(i, i);
    camera.SetPlan(i % 2);
    guard.switches.Count(port::SwitchReason::kHeat);
    guard.SetLayer(i % 16, 0.1f, 0.2f, 0.3f);
    text.Clear();
    metrics.Write(i, &text);
  }
  counting = false;
  EXPECT_EQ(calls.load(), 0);
  EXPECT_EQ(reading.celsius(), 51);
  EXPECT_TRUE(text.fits());
  EXPECT_NE(text.text().find("octet_temperature_celsius 51\n"), std::string_view::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace octet::test
