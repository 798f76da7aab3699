// A folder of its own for each test, files by bytes, and the one line a refusal says.
#ifndef OCTET_TESTS_CONVERTER_IMAGES_IMAGES_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_IMAGES_IMAGES_SUPPORT_H_

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "converter/images/dataset.h"
#include "converter/support/error.h"

namespace octet::images {

class ImagesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("octet_images_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  // A .npy file of version 1 with this header text and these data bytes.
  static std::string Npy(const std::string& header, const std::string& data, char version = 1) {
    std::string bytes("\x93NUMPY", 6);
    bytes += version;
    bytes += '\0';
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    if (version >= 2) bytes += std::string(2, '\0');
    return bytes + header + data;
  }
  static std::string Header(const std::string& descr, const std::string& shape,
                            const std::string& fortran = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
           ", }\n";
  }

  // What a call says when it refuses; empty when it does not.
  template <typename F>
  static std::string Refusal(F&& call) {
    try {
      call();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

}  // namespace octet::images

#endif  // OCTET_TESTS_CONVERTER_IMAGES_IMAGES_SUPPORT_H_
