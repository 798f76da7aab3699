// The program octet in this process, in a folder of its own.
#ifndef OCTET_TESTS_CONVERTER_SNAPSHOT_OCTET_PROGRAM_H_
#define OCTET_TESTS_CONVERTER_SNAPSHOT_OCTET_PROGRAM_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/onnx_builder.h"

namespace octet::test {

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Path(const std::string& name) const { return (path_ / name).string(); }
  void Text(const std::string& name, const std::string& text) const;
  std::vector<uint8_t> Bytes(const std::string& name) const;
  void Model(const OnnxBuilder& model, const std::string& name = "m.onnx") const;
  // One array in a .npy file; `type` is numpy's word for the elements in `bytes`.
  void Npy(const std::string& name, const std::string& type, const Dims& shape,
           const std::string& bytes) const;
  // `samples` arrays of this shape in one .npy file: uniform in [-1, 1) where `type` is "<f4", all
  // values of a byte where it is "|u1". The seed alone decides; the same on every machine.
  void Data(const std::string& name, const std::string& type, const Dims& shape, int64_t samples,
            uint64_t seed) const;
  // Data for every input of the model, x0.npy and so on; returns what --calibrate takes.
  std::string DataFor(const OnnxBuilder& model, int64_t samples, uint64_t seed) const;

 private:
  std::filesystem::path path_;
};

struct Answer {
  int status = 3;
  std::string out;
  std::string err;  // the message of a refusal, and warnings
};

// `words` are those behind the program's name; @ in them stands for the folder.
Answer RunOctet(const Folder& folder, const std::vector<std::string>& words);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_SNAPSHOT_OCTET_PROGRAM_H_
