#include <utility>

#include "converter/plan/plan.h"

namespace octet::plan {

void DropDead(lower::Program* program) {
  std::vector<bool> read(program->tensors.size(), false);
  for (const auto& parts : program->outputs) {
    for (const lower::OutputPart& part : parts) read[static_cast<size_t>(part.tensor)] = true;
  }
  for (const lower::ModelState& state : program->states) {
    read[static_cast<size_t>(state.written)] = true;
  }
  std::vector<lower::Layer> kept;
  for (size_t i = program->layers.size(); i-- > 0;) {
    lower::Layer& layer = program->layers[i];
    if (!read[static_cast<size_t>(layer.output)]) continue;
    for (int input : layer.inputs) read[static_cast<size_t>(input)] = true;
    kept.push_back(std::move(layer));
  }
  program->layers.assign(std::make_move_iterator(kept.rbegin()),
                         std::make_move_iterator(kept.rend()));
  // Model inputs stay even when nothing reads them: the caller sets them.
  for (const lower::ModelInput& input : program->inputs)
    read[static_cast<size_t>(input.tensor)] = true;
  for (const lower::ModelState& state : program->states)
    read[static_cast<size_t>(state.read)] = true;
  std::vector<int> number(program->tensors.size(), -1);
  std::vector<lower::Tensor> tensors;
  for (size_t i = 0; i < program->tensors.size(); ++i) {
    if (!read[i]) continue;
    number[i] = static_cast<int>(tensors.size());
    tensors.push_back(std::move(program->tensors[i]));
  }
  program->tensors = std::move(tensors);
  const auto renumber = [&number](int* tensor) { *tensor = number[static_cast<size_t>(*tensor)]; };
  for (lower::Layer& layer : program->layers) {
    for (int& input : layer.inputs) renumber(&input);
    renumber(&layer.output);
  }
  for (lower::ModelInput& input : program->inputs) renumber(&input.tensor);
  for (lower::ModelState& state : program->states) {
    renumber(&state.read);
    renumber(&state.written);
  }
  for (auto& parts : program->outputs) {
    for (lower::OutputPart& part : parts) renumber(&part.tensor);
  }
}

}  // namespace octet::plan
