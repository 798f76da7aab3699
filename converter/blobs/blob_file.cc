#include "converter/blobs/blob_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "converter/support/error.h"
#include "octet/octet.h"
#include "runtime/format/blob.h"

namespace octet::blobs {

BlobFile::BlobFile(const std::vector<uint8_t>& blob)
    : data_(static_cast<uint8_t*>(::operator new[](blob.size() + 1, std::align_val_t{64}))),
      bytes_(blob.size()) {
  std::copy(blob.begin(), blob.end(), data_.get());
}

BlobFile::BlobFile(const std::string& path) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || std::filesystem::is_directory(path, error)) {
    Fail("{}: cannot be opened; give the path of a .octet blob", path);
  }
  bytes_ = static_cast<size_t>(file.tellg());
  data_.reset(static_cast<uint8_t*>(::operator new[](bytes_ + 1, std::align_val_t{64})));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(data_.get()), static_cast<std::streamsize>(bytes_));
  if (!file) Fail("{}: cannot be read; check the storage", path);
  const octet_status status = octet_validate(data_.get(), bytes_, 1);
  // A short file of another kind is truncated to the verifier.
  const size_t begun = std::min(bytes_, sizeof(blob::kMagic));
  if (bytes_ == 0) Fail("{}: is empty; convert the model again, or copy the file again", path);
  if (status.code == OCTET_NOT_A_BLOB || std::memcmp(data_.get(), blob::kMagic, begun) != 0) {
    const bool is_onnx = path.ends_with(".onnx");
    Fail("{}: {}", path,
         is_onnx ? "an ONNX model, not a blob; convert it first: octet convert MODEL.onnx -o "
                   "MODEL.octet --calibrate PICTURES"
                 : "not a blob; octet convert makes one from an ONNX model");
  }
  const auto* header = reinterpret_cast<const blob::Header*>(data_.get());
  if (status.code == OCTET_UNSUPPORTED_VERSION && header->version_major != blob::kVersionMajor) {
    Fail("{}: format {}.{}, these programs read {}: {}", path, header->version_major,
         header->version_minor, blob::kVersionMajor,
         header->version_major < blob::kVersionMajor
             ? "convert the ONNX model again with this release's octet convert"
             : "use programs as new as the blob");
  }
  if (status.code != OCTET_OK) {
    Fail(
        "{} of {} bytes: not a valid blob: {}, at byte {}; convert the model again, or copy the "
        "file again",
        path, bytes_, octet_code_name(status.code), status.offset);
  }
}

BlobView ViewOf(const BlobFile& file) {
  BlobView view{};
  if (!IsOk(ViewBlob(file.data(), file.bytes(), &view))) {
    throw std::logic_error("verified blob has no view");
  }
  return view;
}

}  // namespace octet::blobs
