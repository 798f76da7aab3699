#include "converter/judge/runner.h"

#include <cstring>
#include <stdexcept>

#include "converter/support/error.h"
#include "octet/state.h"
#include "runtime/core/half.h"

namespace octet::judge {
namespace {

void Check(octet_status status) {
  if (status.code == OCTET_OK) return;
  if (status.code == OCTET_OPERATOR_UNAVAILABLE) {
    Fail("the blob has an operator that this program lacks; it cannot run here");
  }
  Fail("the blob cannot be run: {}; give the model and the shapes that it was made from",
       octet_code_name(status.code));
}

float ValueAt(const octet_tensor_view& view, size_t element) {
  const auto* bytes = static_cast<const uint8_t*>(view.data);
  switch (view.element) {
    case OCTET_ELEMENT_INT8: {
      const auto code = static_cast<int8_t>(bytes[element] ^ view.sign);
      return view.scale * static_cast<float>(code - view.zero_point);
    }
    case OCTET_ELEMENT_FP16: {
      uint16_t half;
      std::memcpy(&half, bytes + element * sizeof(half), sizeof(half));
      return view.scale * HalfToFloat(half);
    }
    default: {
      int32_t number;
      std::memcpy(&number, bytes + element * sizeof(number), sizeof(number));
      return static_cast<float>(number);
    }
  }
}

}  // namespace

Runner::Runner(const uint8_t* blob, size_t bytes, const Machine& machine) {
  if (!IsOk(ViewBlob(blob, bytes, &view_))) throw std::logic_error("verified blob has no view");
  size_t arena_bytes = 0;
  Check(octet_arena_bytes(blob, bytes, machine.isa, 1, 0, &arena_bytes));
  arena_.reset(static_cast<uint8_t*>(::operator new[](arena_bytes, std::align_val_t{64})));
  octet_config config{};
  config.isa = machine.isa;
  config.cpu_features = machine.cpu_features;
  Check(octet_bind(blob, bytes, arena_.get(), arena_bytes, &config, &session_));
}

void Runner::Reset() {
  Check(octet_reset(session_));
}

void Runner::Begin(uint32_t plan, const std::vector<graph::Tensor>& inputs) {
  Check(octet_set_plan(session_, plan));
  for (size_t i = 0; i < octet_input_count(session_); ++i) {
    const std::vector<float>& values = inputs[i].floats;
    Check(octet_set_input_f32(session_, static_cast<uint32_t>(i), values.data(), values.size()));
  }
}

std::vector<std::vector<float>> Runner::Run(uint32_t plan,
                                            const std::vector<graph::Tensor>& inputs) {
  Begin(plan, inputs);
  Check(octet_run(session_));
  std::vector<std::vector<float>> outputs;
  for (uint32_t o = 0; o < octet_output_count(session_); ++o) {
    std::vector<float>& values = outputs.emplace_back(view_.outputs[o].element_count);
    Check(octet_get_output(session_, o, values.data(), values.size()));
  }
  return outputs;
}

std::vector<float> Runner::Layer(uint32_t layer) {
  Check(octet_run_layer(session_, layer));
  octet_tensor_view view{};
  Check(octet_layer_view(session_, layer, &view));
  std::vector<float> values(size_t{view.dims[0]} * view.dims[1] * view.dims[2] * view.dims[3]);
  for (size_t i = 0; i < values.size(); ++i) values[i] = ValueAt(view, i);
  return values;
}

std::string Runner::LayerName(uint32_t layer) const {
  octet_layer_info info{};
  Check(octet_layer(session_, layer, &info));
  return info.name;
}

}  // namespace octet::judge
