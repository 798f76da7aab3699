#include "converter/cli/report_pictures.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <sodium.h>

#include "converter/blobs/blob_session.h"
#include "converter/cli/same_model.h"
#include "converter/executor/executor.h"
#include "converter/images/encode.h"
#include "converter/judge/score.h"
#include "ports/linux/cpu.h"

namespace octet::cli {
namespace {

// Four pictures of at most 480 pixels a side are some 150 kB of page.
constexpr int64_t kPictures = 4;
constexpr int kMostSide = 480, kJpegQuality = 80;
// What a page still shows apart; decoders keep boxes of far lower scores for scoring.
constexpr float kShownScore = 0.25f;
constexpr size_t kMostBoxes = 50;

std::string Base64(const std::vector<uint8_t>& bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), 0);
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the terminating zero
  return text;
}

std::vector<report::Box> BoxesOf(const judge::Answer& answer, const octet_session* session) {
  std::vector<report::Box> boxes;
  for (const Detection& found : answer.boxes) {
    if (!(found.score >= kShownScore) || boxes.size() == kMostBoxes) continue;
    const bool named = found.label < octet_label_count(session);
    boxes.push_back(
        {found.x0, found.y0, found.x1, found.y1, found.score,
         named ? octet_label(session, found.label) : fmt::format("class {}", found.label)});
  }
  return boxes;
}

}  // namespace

std::vector<report::Picture> PicturesOf(const convert::Conversion& conversion) {
  std::vector<report::Picture> pictures;
  const blobs::BlobFile blob(conversion.blob);
  const BlobView view = blobs::ViewOf(blob);
  const judge::Decoder decoder(view);
  if (decoder.task() != blob::Task::kDetect || conversion.inputs.empty()) return pictures;
  executor::Executor fp32(conversion.graph);
  const blobs::BlobSession session(blob, port::BestIsa(port::DetectCpu()));
  blobs::BlobSession::Check(octet_set_plan(session.get(), 0));
  const int64_t available = conversion.inputs[0]->size();
  const int64_t count = std::min(available, kPictures);
  for (int64_t p = 0; p < count; ++p) {
    const int64_t sample = p * available / count;
    const images::Image image = conversion.inputs[0]->Pixels(sample);
    if (image.pixels.empty()) continue;
    std::vector<graph::Tensor> inputs;
    for (const auto& input : conversion.inputs) inputs.push_back(input->Load(sample));
    const std::vector<graph::Tensor> expected = fp32.Run(inputs);
    for (size_t k = 0; k < inputs.size(); ++k) {
      blobs::BlobSession::Check(octet_set_input_f32(session.get(), static_cast<uint32_t>(k),
                                                    inputs[k].floats.data(),
                                                    inputs[k].floats.size()));
    }
    blobs::BlobSession::Check(octet_run(session.get()));
    std::vector<std::vector<float>> actual;
    std::vector<const float*> exact_outputs, int8_outputs;
    for (size_t o = 0; o < expected.size(); ++o) {
      actual.emplace_back(expected[o].floats.size());
      blobs::BlobSession::Check(octet_get_output(session.get(), static_cast<uint32_t>(o),
                                                 actual[o].data(), actual[o].size()));
      exact_outputs.push_back(expected[o].floats.data());
    }
    for (const auto& output : actual) int8_outputs.push_back(output.data());
    const images::PictureSize size = conversion.inputs[0]->Picture(sample);
    report::Picture picture;
    picture.width = static_cast<int>(size.width);
    picture.height = static_cast<int>(size.height);
    picture.jpeg_base64 =
        Base64(images::EncodeJpeg(images::Shrink(image, kMostSide), kJpegQuality));
    picture.fp32 = BoxesOf(decoder.Decode(exact_outputs, size), session.get());
    picture.int8 = BoxesOf(decoder.Decode(int8_outputs, size), session.get());
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

}  // namespace octet::cli
