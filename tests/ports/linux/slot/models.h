// Models for stores on Linux: with golden vectors, and signed by libsodium where this build has it.
#ifndef OCTET_TESTS_PORTS_LINUX_SLOT_MODELS_H_
#define OCTET_TESTS_PORTS_LINUX_SLOT_MODELS_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ports/linux/slot/slot_store.h"
#include "tests/support/blob_builder.h"

namespace octet::test {

enum class Vectors { kNone, kRight, kWrong };

struct StoredModel {
  int id = 1;
  uint64_t counter = 0;
  std::string board = {};
  int key = 0;  // 0: not signed; 1 and 2: keys of PublicKeyOf
  Vectors vectors = Vectors::kRight;
  uint32_t extra_bytes = 0;  // makes it larger
  int zero_point = 0;        // of its tensors
  std::vector<std::string> labels = {};
  uint32_t output_count = 1;
  std::string product = {};
  uint32_t width = 16;  // of input and output; with Vectors::kNone
};
Blob MakeStored(const StoredModel& model);
port::PublicKey PublicKeyOf(int key);

// A folder that goes with the test.
class StoreFolder : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void WriteText(const std::string& name, const std::string& text) const;
  void WriteBlob(const std::string& name, const Blob& blob) const;
  Blob ReadBlob(const std::string& path) const;
  // In Path("store"), which SetUp makes.
  static port::SlotAnswer Stage(port::SlotStore* store, const Blob& blob);
  // Booted and confirmed.
  static void Install(port::SlotStore* store, const Blob& blob);

 private:
  std::filesystem::path folder_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_SLOT_MODELS_H_
