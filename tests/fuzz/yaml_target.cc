// The YAML files of users: --decode against several models, --config and --board. What --decode
// accepts, the runtime accepts and decodes.
#include <cstring>

#include "converter/boards/board.h"
#include "converter/decode/presets.h"
#include "converter/decode/spec.h"
#include "converter/quantize/scheme.h"
#include "converter/support/error.h"
#include "octet/octet.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::fuzz {

const size_t kLongestInput = 2048;

std::vector<Input> Seeds() {
  std::vector<Input> seeds;
  for (const decode::Preset& preset : decode::kPresets) {
    for (const char* form : preset.forms) {
      if (form != nullptr) seeds.push_back(FromText(form));
    }
  }
  for (const char* text : {
           "layout: planes\nchannels: [box, object, class]\nstrides: [8, 16]\n"
           "anchors: [[[10, 13], [16, 30]], [[30, 61], [62, 45]]]\nanchor_order: outer\n"
           "box: {rule: anchor, activation: sigmoid, cell_offset: -0.5}\n"
           "object: {activation: sigmoid}\nclass: {activation: sigmoid, background: 1}\n",
           "outputs: {box: [b8, b16], class: [c8, c16]}\nstrides: [8, 16]\n"
           "box: {rule: prior, variances: [0.1, 0.2]}\nanchors: [[[1, 2]], [[3, 4]]]\n"
           "max_candidates: 10\nmax_detections: 5\nclass_agnostic: true\niou_threshold: 1e-3\n",
           "activations: symmetric\ncalibration: {method: mse, percentile: 99.9}\n"
           "precision_constraints: obey\nint8_everywhere: true\n"
           "layers: {\"a/*\": {precision: fp16}}\n"
           "tensors: {x: {min: 0, max: 1, scheme: symmetric, method: auto}}\n",
           "a: &a [*a, *a]\nb: {<<: *a}\n",
           "winograd: true\nwhitelist:\n  weight_schemes: [per_channel]\n"
           "  precisions: [int8, fp16]\n  activation_schemes: [symmetric]\n",
       }) {
    seeds.push_back(FromText(text));
  }
  return seeds;
}

namespace {

decode::Ports Model(int64_t size, const std::vector<decode::Port>& outputs) {
  decode::Port input{"images", {1, 3, size, size}};
  input.is_image = true;
  return {{input}, outputs};
}

const std::vector<decode::Ports>& Models() {
  static const std::vector<decode::Ports> models = {
      Model(64, {{"out", {1, 84, 84}}}),
      Model(64, {{"output", {1, 84, 85}}}),
      Model(64, {{"out", {1, 84, 70}}}),
      Model(64, {{"out", {1, 85, 112}}}),
      Model(32, {{"scores", {1, 70, 2}}, {"boxes", {1, 70, 4}}}),
      Model(16, {{"p8", {1, 14, 2, 2}}, {"p16", {1, 14, 1, 1}}}),
      Model(16, {{"b8", {1, 4, 4}}, {"b16", {1, 1, 4}}, {"c8", {1, 4, 3}}, {"c16", {1, 1, 3}}}),
      Model(8, {{"out", {1, 5, 4, 6}}}),
      Model(8, {{"out", {1, 10}}}),
      Model(8, {{"out", {7}}}),
  };
  return models;
}

// A blob that only gives inputs and outputs of these shapes to a decode section.
test::Blob BlobAround(const decode::Ports& model, blob::Task task, const Input& section) {
  test::BlobBuilder b;
  const auto size = static_cast<uint32_t>(model.inputs[0].shape[2]);
  b.AddInput("images", {1, size, size, 3});
  b.input(0).is_image = 1;
  b.input(0).scale = 1;
  b.input(0).dims[1] = 3, b.input(0).dims[2] = b.input(0).dims[3] = size;
  b.input(0).strides[0] = 3 * size * size, b.input(0).strides[1] = size, b.input(0).strides[2] = 1;
  b.input(0).strides[3] = size * size;
  for (const decode::Port& port : model.outputs) {
    const auto elements = static_cast<uint32_t>(graph::ElementCount(port.shape));
    const uint32_t tensor = b.AddTensor({1, 1, 1, elements});
    std::vector<int8_t> values(elements);
    for (uint32_t i = 0; i < elements; ++i) values[i] = static_cast<int8_t>(i * 2654435761u >> 24);
    b.AddLayer(blob::Op::kConstant, {}, tensor).extra = b.AddTable(values);
    std::vector<uint32_t> dims(port.shape.begin(), port.shape.end());
    blob::OutputPart part{};
    part.tensor = tensor;
    part.strides[3] = 1;
    b.AddOutput(port.name, dims, {part});
  }
  blob::DecodeRecord record;
  std::memcpy(&record, section.data(), sizeof(record));
  std::vector<blob::DecodeLevel> levels(record.level_count);
  std::memcpy(levels.data(), section.data() + record.levels_offset,
              levels.size() * sizeof(levels[0]));
  std::vector<blob::DecodeAnchor> anchors(record.anchor_count);
  if (!anchors.empty()) {
    std::memcpy(anchors.data(), section.data() + record.anchors_offset,
                anchors.size() * sizeof(anchors[0]));
  }
  std::vector<blob::DecodeExtra> extras(record.extras_offset == 0 ? 0 : record.level_count);
  if (!extras.empty()) {
    std::memcpy(extras.data(), section.data() + record.extras_offset,
                extras.size() * sizeof(extras[0]));
  }
  b.SetDecode(task, record, levels, anchors, extras);
  return b.Build();
}

void Decode(const test::Blob& blob, blob::Task task) {
  const test::TestSession session(blob, {});
  FUZZ_CHECK(session.status().code == OCTET_OK);
  octet_run(session.get());
  test::AlignedBytes memory(octet_decode_bytes(session.get()));
  uint32_t count = 0, height = 0, width = 0;
  if (task == blob::Task::kDetect) {
    octet_detection boxes[8];
    FUZZ_CHECK(octet_detect(session.get(), 70, 30, memory.data(), boxes, 8, &count).code ==
               OCTET_OK);
    FUZZ_CHECK(count <= 8);
  } else if (task == blob::Task::kClassify) {
    octet_class_score best[3];
    FUZZ_CHECK(octet_classify(session.get(), memory.data(), best, 3, &count).code == OCTET_OK);
    FUZZ_CHECK(count <= 3);
  } else {
    FUZZ_CHECK(octet_segment_size(session.get(), &height, &width).code == OCTET_OK);
    std::vector<uint8_t> labels(size_t{height} * width);
    FUZZ_CHECK(octet_segment(session.get(), memory.data(), labels.data(), labels.size()).code ==
               OCTET_OK);
  }
}

}  // namespace
}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  const fuzz::MemoryFile file(data, size);
  try {
    quantize::ReadConfig(file.path());
  } catch (const UserError&) {
  }
  try {
    boards::ReadBoard(file.path(), boards::Missing::kAllowed);
  } catch (const UserError&) {
  }
  std::optional<decode::Spec> spec;
  try {
    spec = decode::ReadSpec(file.path());
  } catch (const UserError&) {
    return 0;
  }
  for (const decode::Ports& model : fuzz::Models()) {
    for (const auto task : {blob::Task::kClassify, blob::Task::kDetect, blob::Task::kSegment}) {
      fuzz::Input section;
      try {
        section = decode::DecodeSection(task, spec, model);
      } catch (const UserError&) {
        continue;
      }
      const test::Blob blob = fuzz::BlobAround(model, task, section);
      const octet_status status = octet_validate(blob.data(), blob.size(), OCTET_VERIFY_NONE);
      FUZZ_CHECK(status.code == OCTET_OK);
      fuzz::Decode(blob, task);
    }
  }
  return 0;
}
