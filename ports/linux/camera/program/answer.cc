#include "ports/linux/camera/program/answer.h"

#include "octet/agreement.h"

namespace octet::port {

size_t OutputValueCount(const Model& model) {
  size_t count = 0;
  for (uint32_t i = 0; i < model.blob().model->output_count; ++i) {
    count += model.blob().outputs[i].element_count;
  }
  return count;
}

void ReadOutputValues(const BlobView& blob, const octet_session* session,
                      std::vector<float>* values) {
  size_t at = 0;
  for (uint32_t i = 0; i < octet_output_count(session); ++i) {
    const size_t count = blob.outputs[i].element_count;
    octet_get_output(session, i, values->data() + at, count);
    at += count;
  }
}

AnswerView ViewOf(const Results& results, const std::vector<float>& values) {
  return {results.task, results.boxes.data(), results.classes, results.count, results.map,
          values,       results.text};
}

uint32_t AgreementOf(const AnswerView& a, const AnswerView& b) {
  switch (a.task) {
    case OCTET_TASK_DETECT:
      return octet_agreement_detections(a.boxes, a.count, b.boxes, b.count);
    case OCTET_TASK_CLASSIFY:
      return octet_agreement_classes(a.classes, a.count, b.classes, b.count);
    case OCTET_TASK_SEGMENT:
      if (a.map.size() != b.map.size()) return OCTET_AGREEMENT_FULL;
      return octet_agreement_labels(a.map.data(), b.map.data(), a.map.size());
    case OCTET_TASK_TEXT:
      return a.text == b.text ? OCTET_AGREEMENT_FULL : 0;
    default:
      return octet_agreement_values(a.values.data(), b.values.data(), a.values.size());
  }
}

Answer::Answer(Model& model, Values values) : model_(model), reader_(model) {
  if (values == kWithoutValues && octet_model_task(model.session()) != OCTET_TASK_NONE) return;
  values_.resize(OutputValueCount(model));
}

void Answer::Take(const FrameBuffer& frame) {
  const octet_frame view = frame.View();
  octet_set_input_frame(model_.session(), 0, &view);
}

void Answer::Ask(const FrameBuffer& frame) {
  Take(frame);
  octet_run(model_.session());
  Read(frame);
}

void Answer::Ask(const FrameBuffer& frame, LayerHook* hook, const LayerHook::Watch& watch) {
  Take(frame);
  hook->Run(model_.session(), watch);
  Read(frame);
}

void Answer::Read(const FrameBuffer& frame) {
  Keep(reader_.Read(model_.session(), frame.width, frame.height));
}

void Answer::Keep(const Results& results) {
  results_ = &results;
  if (!values_.empty()) ReadOutputValues(model_.blob(), model_.session(), &values_);
}

uint32_t Answer::Agreement(const Answer& other) const {
  return AgreementOf(ViewOf(*results_, values_), ViewOf(*other.results_, other.values_));
}

}  // namespace octet::port
