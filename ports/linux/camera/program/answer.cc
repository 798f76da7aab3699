#include "ports/linux/camera/program/answer.h"

#include "octet/drift.h"
#include "octet/guard.h"

namespace octet::port {

Answer::Answer(Model& model, Values values) : model_(model), reader_(model) {
  if (values == kWithoutValues && octet_model_task(model.session()) != OCTET_TASK_NONE) return;
  size_t elements = 0;
  for (uint32_t i = 0; i < model.blob().model->output_count; ++i) {
    elements += model.blob().outputs[i].element_count;
  }
  values_.resize(elements);
}

void Answer::Ask(const FrameBuffer& frame) {
  const octet_frame view = frame.View();
  octet_set_input_frame(model_.session(), 0, &view);
  octet_run(model_.session());
  Read(frame);
}

void Answer::Read(const FrameBuffer& frame) {
  Keep(reader_.Read(model_.session(), frame.width, frame.height));
}

void Answer::Keep(const Results& results) {
  results_ = &results;
  if (values_.empty()) return;
  size_t at = 0;
  for (uint32_t i = 0; i < octet_output_count(model_.session()); ++i) {
    const size_t count = model_.blob().outputs[i].element_count;
    octet_get_output(model_.session(), i, values_.data() + at, count);
    at += count;
  }
}

uint32_t Answer::Agreement(const Answer& other) const {
  const Results &a = *results_, &b = *other.results_;
  switch (a.task) {
    case OCTET_TASK_DETECT:
      return octet_agreement_detections(a.boxes.data(), a.count, b.boxes.data(), b.count);
    case OCTET_TASK_CLASSIFY:
      return octet_agreement_classes(a.classes, a.count, b.classes, b.count);
    case OCTET_TASK_SEGMENT:
      return octet_agreement_labels(a.map.data(), b.map.data(), a.map.size());
    default:
      return octet_agreement_values(values_.data(), other.values_.data(), values_.size());
  }
}

uint32_t Answer::Fidelity(const Answer& other) const {
  return octet_drift_fidelity(values_.data(), other.values_.data(), values_.size());
}

}  // namespace octet::port
