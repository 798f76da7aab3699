// C++ over the C API: the same calls as members, nothing added at run time. C++17, no exceptions,
// no allocation.
#ifndef OCTET_OCTET_HPP_
#define OCTET_OCTET_HPP_

#include "octet/octet.h"

namespace octet {

// A bound model. Does not own the blob or the arena; both have to outlive it. Copies refer to the
// same session.
class Model {
 public:
  // Exact arena size; 64-byte aligned memory of this size goes to Bind.
  static octet_status ArenaBytes(const void* blob, size_t blob_bytes, octet_isa isa,
                                 uint32_t threads, size_t* arena_bytes) {
    return octet_arena_bytes(blob, blob_bytes, isa, threads, arena_bytes);
  }

  octet_status Bind(const void* blob, size_t blob_bytes, void* arena, size_t arena_bytes,
                    const octet_config& config) {
    return octet_bind(blob, blob_bytes, arena, arena_bytes, &config, &session_);
  }
  bool bound() const { return session_ != nullptr; }
  octet_session* session() const { return session_; }

  uint32_t plan_count() const { return octet_plan_count(session_); }
  uint32_t plan() const { return octet_plan(session_); }
  const char* plan_name(uint32_t plan) const { return octet_plan_name(session_, plan); }
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
  octet_status Run() { return octet_run(session_); }
  octet_status GetOutput(uint32_t index, float* values, size_t element_count) const {
    return octet_get_output(session_, index, values, element_count);
  }

  uint32_t layer_count() const { return octet_layer_count(session_); }
  octet_status Layer(uint32_t index, octet_layer_info* info) const {
    return octet_layer(session_, index, info);
  }
  uint64_t macs() const { return octet_macs(session_); }
  uint32_t label_count() const { return octet_label_count(session_); }
  const char* label(uint32_t index) const { return octet_label(session_, index); }

 private:
  octet_session* session_ = nullptr;
};

}  // namespace octet

#endif  // OCTET_OCTET_HPP_
