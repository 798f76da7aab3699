// The two .npy readers: what one of them accepts lies within the file.
#include "converter/images/dataset.h"
#include "converter/support/error.h"
#include "ports/linux/capture/npy.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

namespace {

Input File(const std::string& dict, size_t data_bytes, char version = 1) {
  std::string text("\x93NUMPY", 6);
  text += version;
  text += '\0';
  text += static_cast<char>(dict.size());
  text += '\0';
  if (version > 1) text += std::string(2, '\0');
  return FromText(text + dict + std::string(data_bytes, '\x3f'));
}

// Every byte is read, so that a sanitizer or the kernel sees one that is not there.
uint32_t Sum(const void* data, size_t bytes) {
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes; ++i) sum += static_cast<const uint8_t*>(data)[i];
  return sum;
}

}  // namespace

std::vector<Input> Seeds() {
  return {
      File("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4, 3), }    \n", 72),
      File("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }\n", 12),
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 2, 2), }  \n", 48),
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3, 2, 2), }  \n", 96, 2),
      File("{'descr': '<f4', 'fortran_order': True, 'shape': (), }\n", 4),
      File("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }", 24),
  };
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  const fuzz::MemoryFile file(data, size);
  uint32_t sum = 0;
  try {
    constexpr size_t kBytes[] = {1, 2, 4, 8};
    const port::NpyArray array(file.path());
    const size_t bytes = array.element_count() * kBytes[static_cast<size_t>(array.type())];
    FUZZ_CHECK(bytes <= size);
    sum += fuzz::Sum(array.bytes(), bytes);
  } catch (const port::InputError&) {
  }
  try {
    const images::NpyFile array(file.path());
    const auto elements = static_cast<size_t>(graph::ElementCount(array.shape()));
    const size_t bytes = elements * static_cast<size_t>(array.dtype()[2] - '0');
    FUZZ_CHECK(bytes <= size);
    sum += fuzz::Sum(array.data(), bytes);
  } catch (const UserError&) {
  }
  for (const graph::Shape& shape : {graph::Shape{1, 3, 2, 2}, graph::Shape{1, 4, 3}}) {
    try {
      images::Preprocess preprocess;
      preprocess.is_image = shape.size() == 4;
      const auto dataset = images::OpenDataset(file.path(), shape, preprocess, false);
      for (int64_t i = 0; i < std::min<int64_t>(dataset->size(), 4); ++i) {
        const graph::Tensor tensor = dataset->Load(i);
        FUZZ_CHECK(tensor.shape == shape);
      }
    } catch (const UserError&) {
    }
  }
  return sum == 0xFFFFFFFF ? 1 : 0;
}
