// C++ over the C API: the same calls as members, without cost at run time. C++17. It throws no
// exceptions and does not allocate.
#ifndef OCTET_OCTET_HPP_
#define OCTET_OCTET_HPP_

#include "octet/octet.h"
#include "octet/state.h"

namespace octet {

// What needs no model.
class Library {
 public:
  static uint32_t Version() { return octet_version(); }
  static const char* CodeName(octet_code code) { return octet_code_name(code); }
  static const char* IsaName(octet_isa isa) { return octet_isa_name(isa); }
  static octet_status IsaFromName(const char* name, octet_isa* isa) {
    return octet_isa_from_name(name, isa);
  }
  static bool IsaIsBuilt(octet_isa isa) { return octet_isa_built(isa) != 0; }

  static octet_status Validate(const void* blob, size_t blob_bytes, uint32_t verify_hashes) {
    return octet_validate(blob, blob_bytes, verify_hashes);
  }
  static octet_status Describe(const void* blob, size_t blob_bytes, octet_blob_info* info) {
    return octet_blob_describe(blob, blob_bytes, info);
  }
};

// While it lives, runs of the session count as no frames. Its end sets plan and state to what they
// were (octet/state.h). Within another one it does nothing.
class RunAside {
 public:
  explicit RunAside(octet_session* session)
      : session_(octet_aside_begin(session).code == OCTET_OK ? session : nullptr) {}
  ~RunAside() {
    if (session_ != nullptr) octet_aside_end(session_);
  }
  RunAside(const RunAside&) = delete;
  RunAside& operator=(const RunAside&) = delete;

 private:
  octet_session* session_;
};

// A bound model. It does not own the blob or the arena, and both must outlive it. Copies refer to
// the same session.
class Model {
 public:
  // Exact arena size. Give Bind 64-byte aligned memory of this size.
  static octet_status ArenaBytes(const void* blob, size_t blob_bytes, octet_isa isa,
                                 uint32_t threads, uint32_t plan_mask, size_t* arena_bytes) {
    return octet_arena_bytes(blob, blob_bytes, isa, threads, plan_mask, arena_bytes);
  }

  octet_status Bind(const void* blob, size_t blob_bytes, void* arena, size_t arena_bytes,
                    const octet_config& config) {
    return octet_bind(blob, blob_bytes, arena, arena_bytes, &config, &session_);
  }
  bool bound() const { return session_ != nullptr; }
  octet_session* session() { return session_; }
  const octet_session* session() const { return session_; }

  uint32_t plan_count() const { return octet_plan_count(session_); }
  uint32_t plan() const { return octet_plan(session_); }
  uint32_t plan_mask() const { return octet_plan_mask(session_); }
  const char* plan_name(uint32_t plan) const { return octet_plan_name(session_, plan); }
  uint32_t resident_plans() const { return octet_resident_plans(session_); }
  octet_status SetResidentPlans(uint32_t plan_mask) {
    return octet_set_resident_plans(session_, plan_mask);
  }
  octet_status SetPlan(uint32_t plan) { return octet_set_plan(session_, plan); }

  uint32_t input_count() const { return octet_input_count(session_); }
  uint32_t output_count() const { return octet_output_count(session_); }
  octet_status InputInfo(uint32_t index, octet_tensor_info* info) const {
    return octet_input_info(session_, index, info);
  }
  octet_status OutputInfo(uint32_t index, octet_tensor_info* info) const {
    return octet_output_info(session_, index, info);
  }

  // pixels: uint8 [height, width, channels] RGB or grey, rows row_bytes apart.
  octet_status SetImage(uint32_t index, const uint8_t* pixels, uint32_t height, uint32_t width,
                        uint32_t channels, size_t row_bytes) {
    return octet_set_input_image(session_, index, pixels, height, width, channels, row_bytes);
  }
  octet_status SetInput(uint32_t index, const float* values, size_t element_count) {
    return octet_set_input_f32(session_, index, values, element_count);
  }
  // A frame of a camera, in its own format.
  octet_status SetFrame(uint32_t index, const octet_frame& frame) {
    return octet_set_input_frame(session_, index, &frame);
  }
  octet_status Run() { return octet_run(session_); }
  octet_status RunLayer(uint32_t layer) { return octet_run_layer(session_, layer); }
  octet_status GetOutput(uint32_t index, float* values, size_t element_count) const {
    return octet_get_output(session_, index, values, element_count);
  }

  // What lives from frame to frame.
  octet_status DescribeState(octet_state_info* info) const {
    return octet_state_describe(session_, info);
  }
  octet_status GetState(void* memory, size_t bytes) const {
    return octet_state_get(session_, memory, bytes);
  }
  octet_status SetState(const void* memory, size_t bytes) {
    return octet_state_set(session_, memory, bytes);
  }
  // The next frame is the first of a sequence.
  octet_status Reset() { return octet_reset(session_); }
  uint32_t state_count() const { return octet_state_count(session_); }
  octet_status StateTensor(uint32_t index, octet_tensor_info* info) const {
    return octet_state_tensor(session_, index, info);
  }

  // Tensors in the arena, without a copy, to write or read.
  octet_status InputView(uint32_t index, octet_tensor_view* view) {
    return octet_input_view(session_, index, view);
  }
  uint32_t output_part_count(uint32_t index) const {
    return octet_output_part_count(session_, index);
  }
  octet_status OutputView(uint32_t index, uint32_t part, octet_tensor_view* view) {
    return octet_output_view(session_, index, part, view);
  }
  octet_status LayerView(uint32_t layer, octet_tensor_view* view) {
    return octet_layer_view(session_, layer, view);
  }

  uint32_t layer_count() const { return octet_layer_count(session_); }
  octet_status Layer(uint32_t index, octet_layer_info* info) const {
    return octet_layer(session_, index, info);
  }
  uint64_t macs() const { return octet_macs(session_); }
  uint64_t steps() const { return octet_steps(session_); }
  uint32_t label_count() const { return octet_label_count(session_); }
  const char* label(uint32_t index) const { return octet_label(session_, index); }

  // The meaning of the outputs. memory: decode_bytes(), 64-byte aligned.
  octet_task task() const { return octet_model_task(session_); }
  size_t decode_bytes() const { return octet_decode_bytes(session_); }
  octet_status Classify(void* memory, octet_class_score* best, uint32_t capacity,
                        uint32_t* count) const {
    return octet_classify(session_, memory, best, capacity, count);
  }
  octet_status Detect(uint32_t frame_width, uint32_t frame_height, void* memory,
                      octet_detection* detections, uint32_t capacity, uint32_t* count) const {
    return octet_detect(session_, frame_width, frame_height, memory, detections, capacity, count);
  }
  // Boxes of at least this score, in place of the blob's threshold.
  octet_status DetectAbove(float score_threshold, uint32_t frame_width, uint32_t frame_height,
                           void* memory, octet_detection* detections, uint32_t capacity,
                           uint32_t* count) const {
    return octet_detect_above(session_, score_threshold, frame_width, frame_height, memory,
                              detections, capacity, count);
  }
  uint32_t keypoint_count() const { return octet_keypoint_count(session_); }
  octet_status Keypoints(uint32_t frame_width, uint32_t frame_height, const void* memory,
                         uint32_t index, octet_keypoint* points, uint32_t capacity) const {
    return octet_keypoints(session_, frame_width, frame_height, memory, index, points, capacity);
  }
  bool has_masks() const { return octet_has_masks(session_) != 0; }
  octet_status Mask(uint32_t frame_width, uint32_t frame_height, void* memory, uint32_t index,
                    uint32_t left, uint32_t top, uint32_t width, uint32_t height, uint8_t* mask,
                    size_t mask_bytes) const {
    return octet_mask(session_, frame_width, frame_height, memory, index, left, top, width, height,
                      mask, mask_bytes);
  }
  octet_status SegmentSize(uint32_t* height, uint32_t* width) const {
    return octet_segment_size(session_, height, width);
  }
  octet_status Segment(void* memory, uint8_t* labels, size_t label_bytes) const {
    return octet_segment(session_, memory, labels, label_bytes);
  }
  // Characters of a text, at most TextSize of them; label() has each one's UTF-8.
  octet_status TextSize(uint32_t* characters) const {
    return octet_text_size(session_, characters);
  }
  octet_status Text(void* memory, octet_class_score* characters, uint32_t capacity,
                    uint32_t* count) const {
    return octet_text(session_, memory, characters, capacity, count);
  }

 private:
  octet_session* session_ = nullptr;
};

}  // namespace octet

#endif  // OCTET_OCTET_HPP_
