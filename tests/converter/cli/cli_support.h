// The octet program in a folder of its own.
#ifndef OCTET_TESTS_CONVERTER_CLI_CLI_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_CLI_CLI_SUPPORT_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/onnx_builder.h"

namespace octet::test {

class Cli : public testing::Test {
 protected:
  struct Result {
    int status = -1;
    std::string out, err;
  };

  void SetUp() override;
  void TearDown() override;

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void WriteText(const std::string& name, const std::string& text) const;
  std::string ReadText(const std::string& name) const;
  // uint8 or float32 .npy of bytes up to 250, or of numbers from 0 to 1; no two samples are alike.
  void WriteNpy(const std::string& name, const std::string& type, const Dims& shape) const;
  // A classifier of [1,3,8,8] pictures in m.onnx, and the calibration pictures c.npy.
  void WriteGoodModel() const;
  // A classifier of the same shapes, with the weights of this seed (m.onnx has 1).
  void WriteModel(const std::string& name, uint64_t seed) const;

  // Two layers of [1,4,8,8], of which the second undoes a factor of 4000 in a channel of the
  // first's result: equalization mends it, nothing else.
  void WriteUndone(const std::string& name) const;

  Result Octet(const std::vector<std::string>& arguments) const;
  // octet convert MODEL -o out.octet --calibrate c.npy [more...]
  Result Convert(const std::string& model, const std::vector<std::string>& more = {}) const;
  // Exit status 2, one line on stderr that names `cause`, nothing on stdout, nothing written.
  void ExpectRefused(const Result& result, const std::string& cause) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_CLI_CLI_SUPPORT_H_
