#include "converter/executor/executor.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "converter/support/error.h"
#include "converter/support/memory.h"

namespace octet::executor {
namespace {

constexpr int kNone = -1;
constexpr int kNever = std::numeric_limits<int>::max();

// Slots hold either floats or integers, so that neither vector is allocated for nothing.
struct SlotPool {
  struct Slot {
    bool floats;
    bool free;
    int64_t elements;
  };
  std::vector<Slot> slots;

  // The free slot whose size is nearest, or a new one: few slots grow, and few stay much larger
  // than their contents.
  int Take(bool floats, int64_t elements) {
    int best = kNone;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].free || slots[i].floats != floats) continue;
      const auto distance = [&](int64_t size) { return std::abs(size - elements); };
      if (best == kNone ||
          distance(slots[i].elements) < distance(slots[static_cast<size_t>(best)].elements)) {
        best = static_cast<int>(i);
      }
    }
    if (best == kNone) {
      slots.push_back({floats, false, 0});
      best = static_cast<int>(slots.size()) - 1;
    }
    Slot& slot = slots[static_cast<size_t>(best)];
    slot.free = false;
    slot.elements = std::max(slot.elements, elements);
    return best;
  }
};

size_t At(graph::ValueId id) {
  return static_cast<size_t>(id);
}

bool IsConstant(const graph::Graph& graph, graph::ValueId id) {
  return id != graph::kNoValue && graph.At(id).constant != nullptr;
}

// Gives a tensor the type and shape of a value; its memory was reserved, so this allocates nothing.
void SetShape(const graph::Graph& graph, graph::ValueId id, graph::Tensor& tensor) {
  if (id == graph::kNoValue) return;
  const graph::Value& value = graph.At(id);
  const auto count = static_cast<size_t>(graph::ElementCount(*value.shape));
  tensor.type = value.type;
  tensor.shape = *value.shape;
  if (tensor.IsFloat()) {
    tensor.floats.resize(count);
  } else {
    tensor.integers.resize(count);
  }
}

}  // namespace

Executor::Executor(const graph::Graph& graph) : graph_(&graph) {
  input_of_value_.assign(graph.values.size(), kNone);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    input_of_value_[At(graph.inputs[i])] = static_cast<int>(i);
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    const auto folded = [&](graph::ValueId id) {
      return id == graph::kNoValue || IsConstant(graph, id);
    };
    if (std::all_of(node.outputs.begin(), node.outputs.end(), folded)) continue;
    const operators::Operator* op = operators::Find(node.op);
    if (op == nullptr) {
      Fail(
          "node '{}' ({}): the operator is not supported; replace it in the model, or end the "
          "graph before it: --cut-at TENSOR",
          node.name, node.op);
    }
    steps_.push_back({static_cast<int>(n), op, {}});
  }
  PlanSlots();
}

void Executor::PlanSlots() {
  const graph::Graph& graph = *graph_;
  last_use_.assign(graph.values.size(), kNone);
  for (size_t s = 0; s < steps_.size(); ++s) {
    const graph::Node& node = graph.nodes[static_cast<size_t>(steps_[s].node)];
    for (const auto* list : {&node.inputs, &node.outputs}) {
      for (graph::ValueId id : graph::Present(*list)) {
        last_use_[At(id)] = static_cast<int>(s);
      }
    }
  }
  for (graph::ValueId id : graph.outputs) last_use_[At(id)] = kNever;

  SlotPool pool;
  slot_of_value_.assign(graph.values.size(), kNone);
  for (size_t s = 0; s < steps_.size(); ++s) {
    const graph::Node& node = graph.nodes[static_cast<size_t>(steps_[s].node)];
    // An omitted output still gets room: the operator writes it.
    std::vector<int> unnamed;
    for (graph::ValueId id : node.outputs) {
      if (id == graph::kNoValue) {
        unnamed.push_back(pool.Take(true, 0));
        steps_[s].slots.push_back(unnamed.back());
        continue;
      }
      const graph::Value& value = graph.At(id);
      const int slot =
          pool.Take(value.type == graph::DataType::kFloat, graph::ElementCount(*value.shape));
      slot_of_value_[At(id)] = slot;
      steps_[s].slots.push_back(slot);
    }
    std::vector<graph::ValueId> done = node.inputs;
    done.insert(done.end(), node.outputs.begin(), node.outputs.end());
    for (graph::ValueId id : graph::Present(done)) {
      if (slot_of_value_[At(id)] == kNone) continue;
      if (last_use_[At(id)] == static_cast<int>(s)) {
        pool.slots[static_cast<size_t>(slot_of_value_[At(id)])].free = true;
      }
    }
    for (int slot : unnamed) pool.slots[static_cast<size_t>(slot)].free = true;
  }
  int64_t all_bytes = 0;
  for (const auto& slot : pool.slots) {
    all_bytes +=
        slot.elements * static_cast<int64_t>(slot.floats ? sizeof(float) : sizeof(int64_t));
  }
  if (const int64_t most = MemoryBytes(); all_bytes > most / 2) {
    Fail("its values need {} MiB, of {} MiB that there are; give a smaller --input-shape",
         all_bytes >> 20, most >> 20);
  }
  slots_.resize(pool.slots.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const auto elements = static_cast<size_t>(pool.slots[i].elements);
    slot_elements_.push_back(pool.slots[i].elements);
    if (pool.slots[i].floats) {
      slots_[i].floats.reserve(elements);
    } else {
      slots_[i].integers.reserve(elements);
    }
  }
}

const graph::Given* Executor::GivenOf(graph::ValueId id) const {
  if (id == graph::kNoValue) return nullptr;
  const graph::Value& value = graph_->At(id);
  const bool is_float = value.type == graph::DataType::kFloat && !value.constant;
  return is_float ? value.given.get() : nullptr;
}

int64_t Executor::SlotElements() const {
  int64_t sum = 0;
  for (int64_t elements : slot_elements_) sum += elements;
  return sum;
}

const graph::Tensor* Executor::Source(graph::ValueId id,
                                      const std::vector<graph::Tensor>& inputs) const {
  if (id == graph::kNoValue) return nullptr;
  if (IsConstant(*graph_, id)) return graph_->At(id).constant.get();
  if (input_of_value_[At(id)] != kNone) {
    const auto input = static_cast<size_t>(input_of_value_[At(id)]);
    return GivenOf(id) != nullptr ? &rounded_inputs_[input] : &inputs[input];
  }
  return &slots_[static_cast<size_t>(slot_of_value_[At(id)])];
}

std::vector<graph::Tensor> Executor::Run(const std::vector<graph::Tensor>& inputs,
                                         const Observer& observer) {
  const graph::Graph& graph = *graph_;
  if (inputs.size() != graph.inputs.size()) {
    Fail(
        "the model has {} inputs, but data for {} is given; give one path per input, joined by "
        "commas",
        graph.inputs.size(), inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::Value& value = graph.At(graph.inputs[i]);
    if (inputs[i].shape != *value.shape ||
        inputs[i].IsFloat() != (value.type == graph::DataType::kFloat)) {
      Fail("input '{}': the data is {} {}; give {} {}", value.name, graph::Name(inputs[i].type),
           graph::ToString(inputs[i].shape), graph::Name(value.type),
           graph::ToString(*value.shape));
    }
    if (observer) observer(graph.inputs[i], inputs[i]);
  }
  rounded_inputs_.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::Given* given = GivenOf(graph.inputs[i]);
    if (given == nullptr) continue;
    rounded_inputs_[i] = inputs[i];
    given->Round(rounded_inputs_[i].floats);
  }

  std::vector<const graph::Tensor*> sources;
  std::vector<graph::Tensor> results;
  for (const Step& step : steps_) {
    const graph::Node& node = graph.nodes[static_cast<size_t>(step.node)];
    sources.clear();
    for (graph::ValueId id : node.inputs) sources.push_back(Source(id, inputs));
    // The slots' memory moves into the operator's results and back: operators take a contiguous
    // span.
    results.resize(step.slots.size());
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = std::move(slots_[static_cast<size_t>(step.slots[i])]);
      SetShape(graph, node.outputs[i], results[i]);
    }
    step.op->execute(node, sources, results, workspace_);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!node.activation.empty()) {
        operators::ApplyActivation(node.activation, results[i].floats, node.alpha, node.beta);
      }
      graph::Tensor& slot = slots_[static_cast<size_t>(step.slots[i])];
      slot = std::move(results[i]);
      // The model means what is rounded.
      if (const graph::Given* given = GivenOf(node.outputs[i])) given->Round(slot.floats);
      if (observer && node.outputs[i] != graph::kNoValue) observer(node.outputs[i], slot);
    }
  }

  std::vector<graph::Tensor> outputs;
  for (graph::ValueId id : graph.outputs) outputs.push_back(*Source(id, inputs));
  return outputs;
}

}  // namespace octet::executor
