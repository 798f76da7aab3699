#include "ports/linux/scene/garments.h"

#include <unistd.h>

namespace octet::port {
namespace {

// Returns the path if there is a file. Otherwise the error says how to get the garments, because
// new users often have none.
const std::string& Present(const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return path;
  throw InputError("no garments at " + path +
                   "; name the files that demo/pictures.py FOLDER wrote (it needs Debian's "
                   "dataset-fashion-mnist)");
}

constexpr size_t kPageBytes = 4096;

// Reads every page once, so that later frames do not wait for the file and do not add resident
// memory.
void Touch(const NpyArray& array, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPageBytes) {
    [[maybe_unused]] const volatile uint8_t first = array.bytes()[at];
  }
}

}  // namespace

Garments::Garments(const std::string& pictures_path, const std::string& labels_path)
    : pictures_(Present(pictures_path)), labels_(Present(labels_path)) {
  const std::vector<uint64_t>& shape = pictures_.shape();
  const bool grey = shape.size() == 3 || (shape.size() == 4 && shape[3] == 1);
  if (pictures_.type() != NpyType::kUint8 || !grey || shape[0] == 0 || shape[0] > INT32_MAX ||
      shape[1] != kSide || shape[2] != kSide) {
    throw InputError(
        pictures_path +
        ": not uint8 pictures [N,28,28] or [N,28,28,1]; write them with demo/pictures.py");
  }
  count_ = static_cast<uint32_t>(shape[0]);
  if (labels_.type() != NpyType::kUint8 || labels_.shape() != std::vector<uint64_t>{count_}) {
    throw InputError(labels_path + ": not uint8 [" + std::to_string(count_) +
                     "], one label per picture of " + pictures_path +
                     "; write both with demo/pictures.py");
  }
  Touch(pictures_, size_t{count_} * kSide * kSide);
  for (uint32_t i = 0; i < count_; ++i) {
    if (label(i) >= kClassCount) {
      throw InputError(labels_path + ": label " + std::to_string(label(i)) + " of picture " +
                       std::to_string(i) + " is not below 10; write it with demo/pictures.py");
    }
  }
}

}  // namespace octet::port
