// What a model's outputs mean, as users write it: a preset or a YAML file.
//
//   layout: rows                  # candidates x numbers (default), or planes: numbers x candidates
//   channels: [box, object, class]            # of a candidate, in the output that holds the boxes;
//                                             # points (key points) and mask (coefficients) as well
//   outputs: {box: boxes, class: scores}      # or outputs by name; lists: one a level
//   separate: [class, object]     # what has outputs of its own, found by their shapes
//   prototypes: protos            # output of the masks' prototypes; absent: the one of rank 4
//   strides: [8, 16, 32]          # grids of ceil(input / stride) cells; absent: finished boxes
//   anchors: [[[10, 13], [16, 30]], ...]      # by level, width and height in pixels of the input
//   anchor_order: inner           # inner: a cell's candidates lie together (default); outer
//   box: {form: centre_size, rule: plain, units: pixels, activation: none, cell_offset: 0,
//         bins: 0, variances: [0.1, 0.2]}
//   object: {activation: none}
//   class: {activation: none, background: 0, form: scores, count: 1}   # form index: score, number;
//                                 # form number: a number alone, the score is the object's
//   points: {numbers: 3}          # of a key point: x, y and, with 3, how visible it is
//   score: product                # of object and class; root: the root of the product
//   score_threshold: 0.25
//   iou_threshold: 0.45
//   max_candidates: 1024
//   max_detections: 100
//   class_agnostic: false
//
// The record it becomes is specified in runtime/format/decode.h.
#ifndef OCTET_CONVERTER_DECODE_SPEC_H_
#define OCTET_CONVERTER_DECODE_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "runtime/format/decode.h"

namespace octet::decode {

enum class Role : uint8_t { kBox, kObject, kClass, kPoints, kMask };
inline constexpr size_t kRoles = 5;
inline constexpr const char* kRoleNames[kRoles] = {"box", "object", "class", "points", "mask"};

struct Spec {
  std::string source;  // file or preset, for messages
  bool planes = false;
  std::vector<Role> channels = {Role::kBox, Role::kClass};
  std::vector<std::string> outputs[kRoles];  // by Role; all empty: found by shapes
  std::vector<Role> separate;
  std::string prototypes;
  uint32_t class_count = 0;  // 0: as many as there is room for
  int64_t point_count = 0;   // the same of key points
  std::vector<int64_t> strides;
  std::vector<std::vector<blob::DecodeAnchor>> anchors;  // by level
  bool anchors_outer = false;
  bool fractions = false;  // plain numbers are shares of the input's size
  // Of presets: candidates of each cell of the usual grids, to tell heads apart; 0: not known.
  int64_t cell_candidates = 0;
  bool preset = false;
  std::vector<Spec> other_forms;  // a preset's, tried in turn
  // Everything that is copied as it is.
  blob::DecodeRecord record = Defaults();

  static blob::DecodeRecord Defaults();
};

// A preset's name, or else a YAML file. Throws UserError.
Spec ReadSpec(const std::string& preset_or_path);
std::vector<std::string> PresetNames();
std::vector<Spec> AllPresets();

// Names and logical shapes of the model's ports, batch first.
struct Port {
  std::string name;
  graph::Shape shape;
  bool is_image = false;
  bool channels_last = false;
  bool softmaxed = false;  // outputs: their numbers are probabilities already
  // Outputs that a Concat makes: its axis and the sizes it joins there; else no sizes.
  size_t join_axis = 0;
  std::vector<int64_t> joined = {};
};
// What the model's metadata says of its outputs; 0: nothing.
struct Facts {
  int64_t classes = 0;
  int64_t points = 0, point_numbers = 0;  // key points, and numbers of each
};
struct Ports {
  std::vector<Port> inputs, outputs;
  size_t label_count = 0;  // 0: no names of classes
  Facts facts = {};
  // Of a text, where it is known: the class that is not a character.
  std::optional<int64_t> blank = {};

  // By the labels, which take the place of the metadata's names; 0: not known.
  int64_t KnownClasses() const {
    return label_count != 0 ? static_cast<int64_t>(label_count) : facts.classes;
  }
};

// The class that is not a character where nothing says another: PyTorch's CTCLoss and PaddleOCR
// take the first.
inline constexpr int64_t kUsualBlank = 0;

// Presets whose heads have these outputs, and explain their sizes. Their numbers of classes and key
// points are those of `facts`, where it has them.
std::vector<std::string> ExactPresets(const Ports& ports);

// The bytes of the decode section. `spec` may be absent: classify and segment then read the first
// output as scores, and detect gets no decoder (no bytes). Text has none. Throws Unfit where spec
// and shapes do not fit; for a preset it names those that do.
std::vector<uint8_t> DecodeSection(blob::Task task, const std::optional<Spec>& spec,
                                   const Ports& ports);

}  // namespace octet::decode

#endif  // OCTET_CONVERTER_DECODE_SPEC_H_
