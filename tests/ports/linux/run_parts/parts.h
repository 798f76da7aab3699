// Models and arrays of octet-run's parts, in a folder that goes with the test.
#ifndef OCTET_TESTS_PORTS_LINUX_RUN_PARTS_PARTS_H_
#define OCTET_TESTS_PORTS_LINUX_RUN_PARTS_PARTS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "ports/linux/capture/npy.h"
#include "ports/linux/model.h"
#include "tests/support/blob_builder.h"

namespace octet::test {

class RunParts : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "octet-run-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  // Bound when it is returned.
  std::unique_ptr<port::Model> Open(const Blob& blob, port::ModelOptions options = {}) const {
    Write("m.octet", std::string(blob.begin(), blob.end()));
    auto model = std::make_unique<port::Model>(Path("m.octet"), options);
    model->Bind();
    return model;
  }

  std::filesystem::path folder_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_RUN_PARTS_PARTS_H_
