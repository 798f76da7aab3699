#include "ports/linux/serve/engine/facts.h"

#include <filesystem>

#include "octet/state.h"
#include "runtime/format/tasks.h"

namespace octet::port::serve {
namespace {

TensorFacts FactsOf(const octet_tensor_info& info) {
  TensorFacts facts;
  facts.name = info.name;
  facts.dims.assign(info.dims, info.dims + info.rank);
  facts.count = info.element_count;
  facts.is_image = info.is_image != 0;
  facts.channels = info.channels;
  return facts;
}

}  // namespace

ModelFacts FactsOf(const Model& model, const std::string& path, bool of_store) {
  const octet_session* session = model.session();
  ModelFacts facts;
  facts.alias = StringAt(model.blob(), model.blob().model->name);
  facts.name = std::filesystem::path(path).stem().string();
  if (of_store && !facts.alias.empty()) facts.name = facts.alias;
  facts.task = octet_model_task(session);
  facts.decodes = octet_decode_bytes(session) != 0;
  if (facts.decodes) facts.decode_input = DecodeOf(model.blob()).input;
  octet_tensor_info info;
  for (uint32_t i = 0; i < octet_input_count(session); ++i) {
    octet_input_info(session, i, &info);
    facts.inputs.push_back(FactsOf(info));
  }
  for (uint32_t i = 0; i < octet_output_count(session); ++i) {
    octet_output_info(session, i, &info);
    facts.outputs.push_back(FactsOf(info));
  }
  for (uint32_t i = 0; i < octet_label_count(session); ++i) {
    facts.labels.emplace_back(octet_label(session, i));
  }
  facts.keeps_states = KeepsStates(session);
  return facts;
}

bool KeepsStates(const octet_session* session) {
  octet_state_info info;
  return octet_state_describe(session, &info).code == OCTET_OK && info.bytes != 0;
}

std::string WhyNoBoxes(const ModelFacts& facts) {
  if (facts.keeps_states) {
    return "this model keeps states, so each client needs a sequence of its own; ask it by /v2 "
           "with "
           "sequence_id";
  }
  if (facts.task != OCTET_TASK_DETECT || !facts.decodes) {
    return "this model does not answer boxes (its task is " +
           std::string(TaskWord(static_cast<blob::Task>(facts.task))) +
           (facts.decodes ? "" : ", without a decoder") +
           "); ask it by /v2, or convert a detector with --task detect and --decode";
  }
  if (facts.inputs.size() != 1 || !facts.inputs[0].is_image) {
    return "this model needs more than one picture as input; ask it by /v2";
  }
  return "";
}

}  // namespace octet::port::serve
