#include "ports/linux/camera/program/slots/comparison.h"

#include <algorithm>
#include <cstring>

#include "octet/octet.hpp"

namespace octet::port {
namespace {

constexpr uint64_t kKeepEveryNs = 1'000'000'000;  // of a live source: frames that differ

bool SaysSomething(const Results& results) {
  const bool has_count = results.task == OCTET_TASK_DETECT || results.task == OCTET_TASK_CLASSIFY ||
                         results.task == OCTET_TASK_TEXT;
  return !has_count || results.count != 0;
}

}  // namespace

void Comparison::Load(Model& model, bool on_trial) {
  model_ = &model;
  of_trial_ = on_trial;
  is_due_ = false;
  next_ = sum_ = 0;
  reader_.reset();
  values_.clear();
  if (settings_.frames == 0) return;
  if (octet_model_task(model.session()) == OCTET_TASK_NONE) {
    values_.resize(OutputValueCount(model));
  }
  if (!on_trial) return Begin();
  // A model of another kind was forced: its answers are meant to differ.
  const ModelFace face = FaceOf(model.blob().base, model.blob().header->file_bytes);
  if (face.product != face_.product || !DifferenceOf(face_, face).empty()) count_ = 0;
  if (count_ != 0) reader_.emplace(model);
}

// From now on answers of this model are kept. It is confirmed.
void Comparison::Begin() {
  of_trial_ = false;
  reader_.reset();
  Digest digest;
  std::copy_n(model_->blob().header->sha256, digest.size(), digest.begin());
  if (digest == digest_) return;
  digest_ = digest;
  face_ = FaceOf(model_->blob().base, model_->blob().header->file_bytes);
  count_ = oldest_ = 0;
}

void Comparison::ReadValues(const octet_session* session) {
  if (!values_.empty()) ReadOutputValues(model_->blob(), session, &values_);
}

void Comparison::AfterRun(const octet_session* session, uint64_t now_ns, bool waits) {
  if (settings_.frames == 0) return;
  if (of_trial_) Begin();  // it was confirmed meanwhile
  is_due_ = waits || count_ == 0 || now_ns - kept_ns_ >= kKeepEveryNs;
  if (!is_due_) return;
  kept_ns_ = now_ns;
  ReadValues(session);
}

void Comparison::Keep(const FrameBuffer& frame, const Results& results) {
  if (!is_due_ || !SaysSomething(results) || frame.bytes.empty()) return;
  is_due_ = false;
  if (kept_.empty()) {
    const size_t fitting = std::max<size_t>(kMostFrameBytes / frame.bytes.size(), 1);
    kept_.resize(std::min<size_t>(settings_.frames, fitting));
    for (Kept& kept : kept_) {  // all memory now
      kept.frame.Resize(frame.format, frame.width, frame.height);
      kept.boxes.reserve(results.boxes.size());
    }
    frame_bytes_ = frame.bytes.size();
  }
  if (frame.bytes.size() > frame_bytes_) return;
  const bool is_full = count_ == kept_.size();
  Kept& kept = kept_[is_full ? oldest_ : count_];
  if (is_full) {
    oldest_ = (oldest_ + 1) % count_;
  } else {
    ++count_;
  }
  kept.frame.Resize(frame.format, frame.width, frame.height);
  std::copy(frame.bytes.begin(), frame.bytes.end(), kept.frame.bytes.begin());
  kept.count = results.count;
  if (results.task == OCTET_TASK_DETECT) {
    kept.boxes.assign(results.boxes.begin(), results.boxes.begin() + results.count);
  }
  std::copy(std::begin(results.classes), std::end(results.classes), kept.classes);
  kept.map = results.map;
  kept.text = results.text;
  kept.values = values_;
}

AnswerView Comparison::ViewOf(const Kept& kept, octet_task task) {
  return {task, kept.boxes.data(), kept.classes, kept.count, kept.map, kept.values, kept.text};
}

bool Comparison::AnswerNext() {
  const Kept& kept = kept_[next_++];
  const octet_frame view = kept.frame.View();
  octet_session* const session = model_->session();
  const RunAside aside(session);
  if (octet_set_input_frame(session, 0, &view).code == OCTET_OK &&
      octet_run(session).code == OCTET_OK) {
    const Results& results = reader_->Read(session, kept.frame.width, kept.frame.height);
    ReadValues(session);
    sum_ += AgreementOf(ViewOf(kept, results.task), port::ViewOf(results, values_));
  }
  return next_ == count_;
}

}  // namespace octet::port
