// octet/linux.h, linked statically so that sanitizers and emulated boards see it too.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "octet/linux.h"
#include "runtime/core/isa.h"
#include "tests/support/blob_builder.h"
#include "tests/support/facts.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;

class Library : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-library-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const Blob blob = MakeMixedBlob();
    std::ofstream(Path(), std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path() const { return (folder_ / "m.octet").string(); }
  static octet_linux_options Defaults() {
    octet_linux_options options = {};
    options.size = sizeof(options);
    return options;
  }
  // What opening says; "" where it opens.
  std::string Refusal(const octet_linux_options& options) const {
    char error[512];
    octet_linux* model = octet_linux_open(Path().c_str(), &options, error, sizeof(error));
    EXPECT_EQ(model == nullptr, error[0] != 0) << error;
    octet_linux_close(model);
    return error;
  }
  static std::vector<float> Run(octet_session* session) {
    const std::vector<uint8_t> picture(48, 77);
    EXPECT_EQ(octet_set_input_image(session, 0, picture.data(), 4, 4, 3, 12).code, OCTET_OK);
    EXPECT_EQ(octet_run(session).code, OCTET_OK);
    octet_tensor_info info;
    octet_output_info(session, 0, &info);
    std::vector<float> values(info.element_count);
    octet_get_output(session, 0, values.data(), values.size());
    return values;
  }

  fs::path folder_;
};

TEST_F(Library, OpensRunsAndCloses) {
  std::vector<float> first;
  for (const uint32_t threads : {0u, 1u, 3u}) {
    for (const uint32_t flags : {0u, OCTET_LINUX_NO_VERIFY, OCTET_LINUX_MAP}) {
      octet_linux_options options = Defaults();
      options.threads = threads, options.flags = flags;
      octet_linux* model = octet_linux_open(Path().c_str(), &options, nullptr, 0);
      ASSERT_NE(model, nullptr);
      octet_session* session = octet_linux_session(model);
      EXPECT_EQ(octet_linux_threads(model), std::max(threads, 1u));
      EXPECT_EQ(octet_linux_isa(model), octet_linux_best_isa());
      EXPECT_EQ(octet_linux_blob_bytes(model), fs::file_size(Path()));
      EXPECT_GT(octet_linux_arena_bytes(model), 0u);
      EXPECT_EQ(octet_linux_decode_input(model), 0u);
      EXPECT_EQ(octet_linux_max_detections(model) != 0, octet_decode_bytes(session) != 0);
      const std::vector<float> values = Run(session);
      if (first.empty()) first = values;
      EXPECT_EQ(values, first);
      EXPECT_EQ(octet_set_plan(session, 1).code, OCTET_INVALID_ARGUMENT) << "not in memory yet";
      EXPECT_EQ(octet_plan_mask(session), 3u) << "it is bound";
      EXPECT_EQ(octet_resident_plans(session), 1u);
      for (const uint32_t plan : {1u, 0u}) {
        ASSERT_EQ(octet_linux_set_plan(model, plan).code, OCTET_OK);
        EXPECT_EQ(octet_plan(session), plan);
        const std::vector<float> again = Run(session);
        EXPECT_TRUE(plan != 0 || again == first);
      }
      EXPECT_EQ(octet_linux_set_plan(model, octet_plan_count(session)).code,
                OCTET_INVALID_ARGUMENT);
      octet_linux_close(model);
    }
  }
  octet_linux_close(nullptr);
}

TEST_F(Library, ErrorsAreOneLineCutToTheBuffer) {
  char error[16];
  std::memset(error, 'x', sizeof(error));
  EXPECT_EQ(octet_linux_open("/none/of/these", nullptr, error, 12), nullptr);
  EXPECT_STREQ(error, "cannot open");
  EXPECT_EQ(error[12], 'x');
  EXPECT_EQ(octet_linux_open("/none/of/these", nullptr, error, 1), nullptr);
  EXPECT_STREQ(error, "");
  EXPECT_EQ(octet_linux_open("/none/of/these", nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(octet_linux_open(nullptr, nullptr, error, sizeof(error)), nullptr);
  ExpectFacts(error, {"path"});
  fs::resize_file(Path(), fs::file_size(Path()) / 2);
  EXPECT_NE(Refusal(Defaults()), "");
}

TEST_F(Library, OptionsAreChecked) {
  octet_linux_options options = Defaults();
  options.threads = 257;
  EXPECT_NE(Refusal(options).find("use 1 to 256"), std::string::npos);
  options = Defaults(), options.flags = 4;
  EXPECT_NE(Refusal(options).find("flags 4"), std::string::npos);
  options = Defaults(), options.isa = "mmx";
  ExpectFacts(Refusal(options), {"isa", "mmx"});
  options = Defaults(), options.plan = "int4";
  EXPECT_NE(Refusal(options).find("no plan int4; it has"), std::string::npos);
  options = Defaults(), options.size = sizeof(options) + 5000;
  EXPECT_NE(Refusal(options).find("set size"), std::string::npos);
  options.size = 0;
  EXPECT_NE(Refusal(options).find("set size"), std::string::npos);
  // Of an older header: what lies behind its end is not read.
  options = Defaults(), options.threads = 257, options.size = 8;
  EXPECT_EQ(Refusal(options), "");
}

TEST_F(Library, Levels) {
  uint32_t count = 0;
  for (octet_isa isa = 0; isa < kIsaCount; ++isa) count += octet_linux_can_run(isa) != 0;
  EXPECT_EQ(octet_linux_can_run(kIsaCount), 0);
  EXPECT_GE(count, 1u);
  EXPECT_LE(count, 5u);
  EXPECT_TRUE(octet_linux_can_run(octet_linux_best_isa()));
  octet_linux_options options = Defaults();
  for (octet_isa isa = 0; isa < kIsaCount; ++isa) {
    options.isa = octet_isa_name(isa);
    EXPECT_EQ(Refusal(options).empty(), octet_linux_can_run(isa) != 0) << options.isa;
  }
}

TEST_F(Library, ThreadsForThoseWhoBindThemselves) {
  EXPECT_EQ(octet_linux_pool_start(0), nullptr);
  EXPECT_EQ(octet_linux_pool_start(257), nullptr);
  octet_linux_pool_stop(nullptr);
  const Blob blob = MakeMixedBlob();
  const octet_isa isa = octet_linux_best_isa();
  std::vector<float> first;
  for (const uint32_t threads : {1u, 2u, 5u}) {
    octet_linux_pool* pool = octet_linux_pool_start(threads);
    ASSERT_NE(pool, nullptr);
    const octet_pool* given = octet_linux_pool_get(pool);
    EXPECT_EQ(given->size, sizeof(octet_pool));
    EXPECT_EQ(given->thread_count, threads);
    std::vector<uint32_t> calls(threads);  // an element a thread
    for (int round = 0; round < 3; ++round) {
      given->run(
          given->context,
          [](void* counts, uint32_t index) { ++static_cast<uint32_t*>(counts)[index]; },
          calls.data());
    }
    EXPECT_EQ(calls, std::vector<uint32_t>(threads, 3));

    octet_config config = {};
    config.isa = isa;
    config.pool = given;
    config.verify_hashes = octet_linux_verify_mode();
    config.cpu_features = octet_linux_cpu_features();
    size_t bytes = 0;
    ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), isa, threads, 0, &bytes).code, OCTET_OK);
    AlignedBytes arena(bytes);
    octet_session* session = nullptr;
    ASSERT_EQ(octet_bind(blob.data(), blob.size(), arena.data(), bytes, &config, &session).code,
              OCTET_OK);
    const std::vector<float> values = Run(session);
    if (first.empty()) first = values;
    EXPECT_EQ(values, first);
    octet_linux_pool_stop(pool);
  }
}

TEST_F(Library, TheVerifyModeChecksHashes) {
  Blob blob = MakeMixedBlob();
  const uint32_t mode = octet_linux_verify_mode();
  EXPECT_TRUE(mode == OCTET_VERIFY_PORTABLE || mode == OCTET_VERIFY_SHA_INSTRUCTIONS);
  EXPECT_EQ(octet_validate(blob.data(), blob.size(), mode).code, OCTET_OK);
  blob.data()[blob.size() - 1] ^= 1;
  EXPECT_EQ(octet_validate(blob.data(), blob.size(), mode).code, OCTET_CORRUPT);
}

TEST_F(Library, CallersSignalsStayAsTheyWere) {
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  octet_linux_options options = Defaults();
  options.threads = 2;
  EXPECT_EQ(Refusal(options), "");
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) {
    EXPECT_EQ(sigismember(&before, number), sigismember(&after, number));
  }
}

}  // namespace
}  // namespace octet::test
