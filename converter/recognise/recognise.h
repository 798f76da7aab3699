// What `octet convert MODEL PICTURES` is not told: how pixels are scaled and fitted, the task, the
// decoder, the labels. Only what the model's file or its shapes leave no doubt about is taken, and
// each is said. Where there is a doubt, a UserError names the option that settles it.
#ifndef OCTET_CONVERTER_RECOGNISE_RECOGNISE_H_
#define OCTET_CONVERTER_RECOGNISE_RECOGNISE_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "converter/decode/spec.h"
#include "converter/images/dataset.h"
#include "converter/metadata/record.h"
#include "runtime/format/blob.h"

namespace octet::recognise {

// Which options the user gave: what they say is not asked, and not changed. Each takes the place of
// its own field of the metadata alone.
struct GivenOptions {
  bool pixels = false;  // --scale, --mean or --std
  bool resize = false;
  bool task = false;
  bool decode = false;
  bool labels = false;
  bool shape = false;  // --input-shape
};

// Of an input whose numbers are the bytes of a picture: what they become on their way to the blob's
// input, which takes what the graph makes of them first.
struct BytePixels {
  float scale = 1, mean = 0;
};

struct Settings {
  images::Preprocess preprocess;
  blob::Task task = blob::Task::kNone;
  std::string decode;                    // a preset; empty: none
  std::vector<std::string> labels;       // empty: none
  std::optional<BytePixels> bytes = {};  // the input takes integers, and the graph converts them
};

struct Recognised {
  Settings settings;
  std::vector<std::string> lines;  // one fact each, with the option that changes it
};

// Puts it into the preprocessing, and returns what is to be said.
std::string TakeBytes(const BytePixels& bytes, images::Preprocess* pixels);

// What stands in `data`, as far as scaling is concerned.
enum class Contents : uint8_t {
  kPictures,  // bytes 0 to 255: files of pictures, or a .npy of bytes
  kNumbers,   // a .npy of floats, finished for the model
  kPixels,    // a .npy of floats that are all whole numbers, some above 2: pixels, it seems
};
// path: as for --calibrate. Throws UserError where it is no .npy file that can be read.
Contents ContentsOf(const std::filesystem::path& path);

// settings: what the user gave over the defaults. ports: of the model, batch 1; label_count says
// how many labels the user gave.
Recognised Recognise(const std::string& model, const metadata::Record& said,
                     const decode::Ports& ports, Contents contents, const GivenOptions& given,
                     const Settings& settings);

}  // namespace octet::recognise

#endif  // OCTET_CONVERTER_RECOGNISE_RECOGNISE_H_
