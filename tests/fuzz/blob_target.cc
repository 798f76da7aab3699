// A blob that nobody made: refused, or it runs every plan within its arena, and int8 plans give the
// same bytes on the reference and on this machine's best level, from a clean arena and from another
// dirty one. Hashes are left unchecked, as a firmware that trusts its flash would.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "octet/board.h"
#include "octet/octet.h"
#include "octet/self_test.h"
#include "octet/state.h"
#include "runtime/core/checked.h"
#include "runtime/engine/work.h"
#include "runtime/format/golden.h"
#include "runtime/format/validate.h"
#include "runtime/format/view.h"
#include "tests/converter/lower/convert_in_process.h"
#include "tests/converter/lower/random_graph.h"
#include "tests/fuzz/duties.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/blob_builder.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"
#include "tests/support/states_blob.h"

namespace octet::fuzz {

const size_t kLongestInput = 65536;

namespace {

constexpr size_t kMostArenaBytes = size_t{8} << 20;
constexpr uint64_t kMostWork = 20'000'000;  // steps of all plans, a fraction of a second

struct Free {
  void operator()(uint8_t* p) const { ::operator delete (p, std::align_val_t{64}); }
};
using Aligned = std::unique_ptr<uint8_t, Free>;

Aligned Allocate(size_t bytes, uint8_t fill) {
  Aligned memory(static_cast<uint8_t*>(::operator new (bytes + 1, std::align_val_t{64})));
  std::memset(memory.get(), fill, bytes + 1);
  return memory;
}

void RunBackwards(void* context, void (*task)(void*, uint32_t), void* argument) {
  for (uint32_t i = static_cast<const octet_pool*>(context)->thread_count; i-- > 0;) {
    task(argument, i);
  }
}

// What one plan gave; `exact` where all its layers are int8.
struct Result {
  bool exact = true;
  std::vector<std::vector<float>> outputs;
};

void SetInputs(octet_session* session) {
  static const std::vector<uint8_t> pixels = [] {
    std::vector<uint8_t> bytes(9 * 8 * 3);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37);
    return bytes;
  }();
  for (uint32_t i = 0; i < octet_input_count(session); ++i) {
    octet_tensor_info info;
    FUZZ_CHECK(octet_input_info(session, i, &info).code == OCTET_OK);
    FUZZ_CHECK(info.rank <= 8 && info.element_count <= kMostArenaBytes);
    std::vector<float> values(info.element_count);
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<float>(static_cast<int>(k * 2654435761u >> 16 & 511) - 255) / 128.0f;
    }
    FUZZ_CHECK(octet_set_input_f32(session, i, values.data(), values.size()).code == OCTET_OK);
    if (info.is_image == 0) continue;
    if (octet_set_input_image(session, i, pixels.data(), 5, 7, 3, 24).code != OCTET_OK) {
      FUZZ_CHECK(octet_set_input_image(session, i, pixels.data(), 5, 7, 1, 24).code == OCTET_OK);
    }
    for (uint32_t format = OCTET_PIXELS_RGB24; format <= OCTET_PIXELS_YUYV; ++format) {
      octet_frame frame{};
      frame.format = static_cast<octet_pixel_format>(format);
      frame.width = 5, frame.height = 7;
      for (int plane = 0; plane < 3; ++plane) {
        frame.planes[plane] = pixels.data() + 3 * plane;
        frame.strides[plane] = 16;
      }
      const octet_code code = octet_set_input_frame(session, i, &frame).code;
      FUZZ_CHECK(code == OCTET_OK || code == OCTET_SHAPE_MISMATCH);
    }
  }
}

void Decode(octet_session* session) {
  const size_t bytes = octet_decode_bytes(session);
  if (bytes == 0 || bytes > kMostArenaBytes) return;
  const Aligned memory = Allocate(bytes, 0x77);
  octet_detection boxes[8];
  octet_class_score best[3];
  uint32_t found = 0, height = 0, width = 0;
  if (octet_detect(session, 9, 8, memory.get(), boxes, 8, &found).code == OCTET_OK) {
    FUZZ_CHECK(found <= 8);
    for (uint32_t i = 0; i < found; ++i) {
      FUZZ_CHECK(boxes[i].x0 >= 0 && boxes[i].x1 <= 9 && boxes[i].y0 >= 0 && boxes[i].y1 <= 8);
      octet_keypoint points[256];  // FORMAT.md: at most as many
      uint8_t mask[72];
      if (octet_keypoint_count(session) != 0) {
        FUZZ_CHECK(octet_keypoints(session, 9, 8, memory.get(), i, points, 256).code == OCTET_OK);
      }
      if (octet_has_masks(session) != 0) {
        FUZZ_CHECK(octet_mask(session, 9, 8, memory.get(), i, 0, 0, 9, 8, mask, 72).code ==
                   OCTET_OK);
      }
    }
  }
  if (octet_classify(session, memory.get(), best, 3, &found).code == OCTET_OK) {
    FUZZ_CHECK(found <= 3);
  }
  if (octet_segment_size(session, &height, &width).code == OCTET_OK) {
    std::vector<uint8_t> labels(size_t{height} * width);
    octet_segment(session, memory.get(), labels.data(), labels.size());
  }
  if (octet_text(session, memory.get(), best, 3, &found).code == OCTET_OK) {
    FUZZ_CHECK(found <= 3);
  }
}

Result RunPlan(octet_session* session, uint32_t plan) {
  Result result;
  FUZZ_CHECK(octet_set_plan(session, plan).code == OCTET_OK);
  FUZZ_CHECK(std::strlen(octet_plan_name(session, plan)) < kLongestInput);
  for (uint32_t i = 0; i < octet_layer_count(session); ++i) {
    octet_layer_info info;
    FUZZ_CHECK(octet_layer(session, i, &info).code == OCTET_OK);
    FUZZ_CHECK(std::strlen(info.name) < kLongestInput);
    result.exact &= info.precision == 0;
  }
  SetInputs(session);
  FUZZ_CHECK(octet_reset(session).code == OCTET_OK);
  // The second frame reads what the first one wrote.
  if (octet_state_count(session) != 0) {
    FUZZ_CHECK(octet_run(session).code == OCTET_OK);
    SetInputs(session);
  }
  FUZZ_CHECK(octet_run(session).code == OCTET_OK);
  for (uint32_t i = 0; i < octet_output_count(session); ++i) {
    octet_tensor_info info;
    FUZZ_CHECK(octet_output_info(session, i, &info).code == OCTET_OK);
    std::vector<float> values(info.element_count);
    FUZZ_CHECK(octet_get_output(session, i, values.data(), values.size()).code == OCTET_OK);
    result.outputs.push_back(std::move(values));
  }
  Decode(session);
  return result;
}

std::vector<Result> RunAll(const uint8_t* blob, size_t bytes, octet_isa isa, uint32_t threads,
                           uint8_t poison) {
  size_t arena_bytes = 0;
  FUZZ_CHECK(octet_arena_bytes(blob, bytes, isa, threads, 0, &arena_bytes).code == OCTET_OK);
  if (arena_bytes > kMostArenaBytes) return {};
  const Aligned arena = Allocate(arena_bytes, poison);
  octet_pool pool{sizeof(pool), threads, &pool, RunBackwards};
  octet_config config{};
  config.isa = isa;
  config.pool = threads > 1 ? &pool : nullptr;
  octet_session* session = nullptr;
  FUZZ_CHECK(octet_bind(blob, bytes, arena.get(), arena_bytes, &config, &session).code == OCTET_OK);
  std::vector<Result> results;
  for (uint32_t plan = 0; plan < octet_plan_count(session); ++plan) {
    results.push_back(RunPlan(session, plan));
  }
  const size_t golden_bytes = octet_golden_bytes(session);
  if (golden_bytes <= kMostArenaBytes) {
    const Aligned memory = Allocate(golden_bytes, 0x3C);
    for (uint32_t v = 0; v < octet_golden_count(session); ++v) {
      const octet_code code = octet_golden_set(session, v, memory.get()).code;
      FUZZ_CHECK(code == OCTET_OK || code == OCTET_MALFORMED);
    }
  }
  for (uint32_t i = 0; i < octet_label_count(session); ++i) {
    FUZZ_CHECK(std::strlen(octet_label(session, i)) < kLongestInput);
  }
  return results;
}

// exact: the int8 plans have to agree.
bool CompareLevels(const uint8_t* blob, size_t size, bool exact) {
  static const std::vector<octet_isa> levels = test::RunnableLevels();
  const auto expected = RunAll(blob, size, OCTET_ISA_REFERENCE, 1, 0x5A);
  const auto actual = RunAll(blob, size, levels.back(), 3, 0xA5);
  for (size_t p = 0; exact && p < std::min(expected.size(), actual.size()); ++p) {
    if (!expected[p].exact) continue;
    for (size_t o = 0; o < expected[p].outputs.size(); ++o) {
      const auto &a = expected[p].outputs[o], &b = actual[p].outputs[o];
      if (a.size() != b.size()) return false;
      if (!a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) != 0)
        return false;
    }
  }
  return true;
}

// Of all plans, as octet_steps counts: what is within has to run in time.
bool IsQuick(const BlobView& view) {
  uint64_t steps = 0;
  for (uint32_t p = 0; p < view.model->plan_count; ++p) {
    steps = SaturatingAdd(steps, WorkOfPlan(view, p).steps);
  }
  return steps <= kMostWork;
}

void AddConverted(std::vector<Input>* seeds, uint64_t seed) {
  const test::Converted converted =
      test::ConvertInProcess(test::RandomGraph(seed).model(), seed, 1,
                             {.winograd = seed % 2 == 0, .mixed = seed % 3 == 0});
  if (converted.blob.size() <= kLongestInput * 5 / 8) {
    seeds->emplace_back(converted.blob.begin(), converted.blob.end());
  }
}

// A picture four times side by side in channels, and what its 12 numbers a pixel mean.
test::Blob MakeDecoderBlob(blob::Task task) {
  test::BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 4, 4, 3}, blob::ElementType::kInt8, 1.0f / 64, -128);
  b.input(0).is_image = 1;
  b.input(0).scale = 1.0f / 64;
  const uint32_t y = b.AddTensor({1, 4, 4, 12}, blob::ElementType::kInt8, 1.0f / 64, -128);
  auto& concat = b.AddLayer(blob::Op::kConcat, {x, x, x, x}, y, "concat");
  test::BlobBuilder::Params<blob::ConcatParams>(concat).axis = 3;
  b.AddOutput("y", y);
  const bool detect = task == blob::Task::kDetect;
  blob::DecodeRecord record{};
  record.class_count = detect ? 3 : 12;
  record.background = 1;
  record.class_activation = blob::Activation::kSoftmax;
  record.has_object = 1;
  record.box_form = blob::BoxForm::kDistances;
  record.bins = 2;
  record.max_candidates = record.max_detections = 9;
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = task == blob::Task::kClassify ? 1 : 4;
  if (task == blob::Task::kText) level.grid_h = 1;
  level.anchor_count = 1;
  level.stride_x = level.stride_y = 1;
  level.box = {0, 0, 0, 48, 12, 1};
  level.object = {0, 8, 0, 48, 12, 1};
  level.scores = {0, detect ? 9u : 0u, 0, 48, 12, 1};
  b.SetDecode(task, record, {level}, {});
  return b.Build();
}

// A picture and numbers, drawn and kept, for a model of one picture; digests of zeros.
test::Blob MakeGoldenBlob() {
  test::BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 4, 4, 3}, blob::ElementType::kInt8, 1.0f / 64, -128);
  b.input(0).is_image = 1;
  b.input(0).scale = 1.0f / 64;
  for (float& std_dev : b.input(0).std_dev) std_dev = 1;
  b.AddOutput("y", x);
  blob::GoldenRecord record{};
  record.vector_count = 3;
  record.input_count = record.output_count = record.plan_count = 1;
  record.inputs_offset = sizeof(record);
  record.digests_offset = record.inputs_offset + 3 * sizeof(blob::GoldenInput);
  const uint32_t data = record.digests_offset + 3 * kSha256Bytes;
  const blob::GoldenInput inputs[3] = {
      {blob::GoldenKind::kPicture, data, 12, 2, 2, 3, 0, 0, 0, 0},
      {blob::GoldenKind::kValues, data, 4 * 48, 0, 0, 0, 0, 0, 0, 0},
      {blob::GoldenKind::kGenerated, 0, 0, 0, 0, 0, -1, 1, 7, 0}};
  std::vector<uint8_t> section(data + 4 * 48);
  std::memcpy(section.data(), &record, sizeof(record));
  std::memcpy(section.data() + sizeof(record), inputs, sizeof(inputs));
  b.AddSection(blob::SectionKind::kGolden, section);
  return b.Build();
}

}  // namespace

std::vector<Input> Seeds() {
  std::vector<Input> seeds;
  for (const test::Blob& blob :
       {test::MakeConvBlob({}), test::MakeMixedBlob(), MakeGoldenBlob(), test::MakeStatesBlob(),
        MakeDecoderBlob(blob::Task::kDetect), MakeDecoderBlob(blob::Task::kClassify),
        MakeDecoderBlob(blob::Task::kSegment), MakeDecoderBlob(blob::Task::kText)}) {
    seeds.emplace_back(blob.begin(), blob.end());
  }
  for (uint64_t seed = 1; seed <= 40; ++seed) AddConverted(&seeds, seed);
  return seeds;
}

}  // namespace octet::fuzz

// Mostly records: of sections with weights and tables few bytes matter.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace octet;
  std::mt19937 random(seed);
  const bool plain = size < sizeof(blob::Header) || random() % 4 == 0;
  if (plain && LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, max_size);
  if (size < sizeof(blob::Header)) return size;
  for (uint32_t i = random() % 3 + 1; i > 0; --i) {
    const auto* header = reinterpret_cast<const blob::Header*>(data);
    size_t begin = 0, end = sizeof(blob::Header);
    blob::Section section;
    const size_t at =
        sizeof(blob::Header) + random() % (header->section_count % 16 + 1) * sizeof(blob::Section);
    if (at + sizeof(section) <= size) {
      std::memcpy(&section, data + at, sizeof(section));
      if (section.offset < size && section.bytes <= size - section.offset && section.bytes >= 8) {
        begin = section.offset / 4 * 4;
        end = section.offset + section.bytes;
      }
    }
    fuzz::MutateWord(data + begin, end - begin, random);
  }
  return size;
}

namespace octet::fuzz {
namespace {

// The first bytes of it, as they come before the rest: what is not there is not read.
void LookAtFront(const uint8_t* data, size_t size) {
  for (const size_t count : {size_t{128}, size_t{512}, size / 2, size}) {
    const size_t bytes = std::min(count, size);
    const Aligned front(static_cast<uint8_t*>(::operator new (bytes, std::align_val_t{64})));
    std::copy(data, data + bytes, front.get());
    BlobView view;
    if (!IsOk(ViewHead(front.get(), bytes, UINT32_MAX, &view))) continue;
    uint8_t digest[kSha256Bytes];
    HeaderDigest(view.header, Sha256BlocksPortable, digest);
  }
}

// Of a valid blob: whatever a board allows, there is an answer, and its words end.
void CompareWithBoards(const uint8_t* blob, size_t size) {
  for (const uint32_t bits : {1u, 2u}) {
    octet_board board{};
    board.precisions = board.weight_schemes = board.activation_schemes = bits;
    octet_board_finding found{};
    FUZZ_CHECK(octet_board_check(blob, size, 0, &board, &found).code == OCTET_OK);
    FUZZ_CHECK(found.rule <= OCTET_BOARD_ACTIVATIONS && std::strlen(found.where) < size);
    // Alone, each list breaks no rule but its own.
    board.weight_schemes = board.activation_schemes = 0;
    FUZZ_CHECK(octet_board_check(blob, size, 0, &board, &found).code == OCTET_OK);
    FUZZ_CHECK(found.rule == OCTET_BOARD_OK || found.rule == OCTET_BOARD_PRECISION);
  }
}

}  // namespace
}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  const fuzz::Aligned blob = fuzz::Allocate(size, 0);
  std::copy(data, data + size, blob.get());
  fuzz::LookAtFront(data, size);
  const octet_status valid = octet_validate(blob.get(), size, OCTET_VERIFY_NONE);
  FUZZ_CHECK(valid.code == OCTET_OK ||
             octet_validate(blob.get(), size, OCTET_VERIFY_SHA_INSTRUCTIONS).code != OCTET_OK);
  size_t arena_bytes = 0;
  const octet_status sized =
      octet_arena_bytes(blob.get(), size, OCTET_ISA_REFERENCE, 1, 0, &arena_bytes);
  FUZZ_CHECK(sized.code == OCTET_OK || valid.code != OCTET_OK);
  if (valid.code != OCTET_OK || arena_bytes > fuzz::kMostArenaBytes) {
    FUZZ_CHECK(valid.offset <= size);
    return 0;
  }
  fuzz::CompareWithBoards(blob.get(), size);
  BlobView view;
  FUZZ_CHECK(IsOk(ViewBlob(blob.get(), size, &view)));
  if (!fuzz::IsQuick(view)) return 0;
  // The bytes as they are, and, where that changed something, with the writer's duties kept.
  const bool keeps_duties = fuzz::KeepsDuties(view, false);
  FUZZ_CHECK((octet_validate(blob.get(), size, OCTET_VERIFY_CONTENT).code == OCTET_OK) ==
             keeps_duties);
  FUZZ_CHECK(fuzz::CompareLevels(blob.get(), size, keeps_duties));
  if (keeps_duties) return 0;
  fuzz::KeepsDuties(view, true);
  // Data may be shared with a table or another layer, which now say something else.
  if (octet_validate(blob.get(), size, OCTET_VERIFY_NONE).code != OCTET_OK) return 0;
  if (!fuzz::KeepsDuties(view, false)) return 0;
  FUZZ_CHECK(fuzz::CompareLevels(blob.get(), size, true));
  return 0;
}
