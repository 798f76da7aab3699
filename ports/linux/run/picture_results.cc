#include "ports/linux/run/picture_results.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "octet/octet.h"

namespace octet::port {

PictureResults::PictureResults(const RunOptions& o, const Model& model)
    : json_(o.json),
      model_(model),
      reader_(model, o.tracks.tracks.empty() ? kNoWeakBoxes : LeastScore(o.tracks)),
      line_(reader_.LineBytes()) {
  if (!o.tracks.tracks.empty()) {
    if (octet_model_task(model.session()) != OCTET_TASK_DETECT) {
      throw InputError(o.blob +
                       ": no decoder of boxes, so --tracks has none; convert the model "
                       "with --task detect");
    }
    tracks_.emplace(o.tracks);
  }
  if (model.blob().decode.data != nullptr || !o.output.empty()) return;
  std::fprintf(stderr,
               "octet-run: %s has no decoder, so only times are printed; convert the model with "
               "--task and --decode, or write its numbers with --output FILE.npy\n",
               o.blob.c_str());
}

void PictureResults::CheckTimes(uint64_t frame_count) const {
  if (tracks_) tracks_->CheckTimes(frame_count);
}

void PictureResults::Commit() {
  if (tracks_) tracks_->Commit();
}

// Of numbers a text is that of a sample.
bool PictureResults::Reads(const Inputs& inputs, const Model& model) {
  return inputs.of_pictures() || (model.blob().decode.data != nullptr &&
                                  octet_model_task(model.session()) == OCTET_TASK_TEXT);
}

void PictureResults::Add(const Inputs& inputs, uint64_t sample, uint64_t run_ns, Measurement* m) {
  const BlobView& blob = model_.blob();
  const FrameBuffer& frame = inputs.frame(blob.decode.data == nullptr ? 0 : DecodeOf(blob).input);
  const std::string name = inputs.of_pictures() ? frame.name : "sample " + std::to_string(sample);
  const Results& results = reader_.Read(model_.session(), frame.width, frame.height);
  if (tracks_) tracks_->Add(results.boxes.data(), results.BoxCount());
  line_.Clear();
  if (json_) {
    line_.Add("{\"picture\":");
    line_.AddJsonString(name.c_str());
    FormatJsonResults(results, model_.session(), &line_);
    line_.Add("}");
    m->results.push_back(nlohmann::ordered_json::parse(line_.data(), nullptr, false));
    if (m->results.back().is_discarded()) {
      throw InputError(name +
                       ": more results than fit a line; set max_detections lower in the file of "
                       "octet convert --decode, and convert the model again");
    }
  } else {
    FormatPicture(name.c_str(), static_cast<double>(run_ns) / 1e6, results, model_.session(),
                  &line_);
    if (!line_.WriteTo(STDOUT_FILENO)) {
      if (errno != EPIPE) throw InputError("stdout: " + ErrorText(errno) + "; use another place");
      throw InputError("stdout: nothing reads the results; keep the reader open, or use a file");
    }
  }
}

}  // namespace octet::port
