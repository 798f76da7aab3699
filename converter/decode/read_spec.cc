#include <algorithm>

#include "converter/decode/presets.h"
#include "converter/decode/spec.h"
#include "converter/support/yaml_reader.h"

namespace octet::decode {
namespace {

using blob::Activation;
using blob::BoxForm;
using blob::BoxRule;

constexpr int64_t kLargestStride = 4096;

class Reader : public YamlReader {
 public:
  using YamlReader::YamlReader;

  Role RoleOf(const YAML::Node& node, const std::string& key) const {
    return OneOf<Role>(node, key,
                       {{"box", Role::kBox},
                        {"object", Role::kObject},
                        {"class", Role::kClass},
                        {"points", Role::kPoints},
                        {"mask", Role::kMask}});
  }

  std::pair<float, float> Pair(const YAML::Node& node, const std::string& key) const {
    if (!node.IsSequence() || node.size() != 2) Bad(node, key, "expected two numbers");
    return {Real(node[0], key), Real(node[1], key)};
  }
};

void ReadBox(const Reader& reader, const YAML::Node& node, Spec* spec) {
  blob::DecodeRecord& record = spec->record;
  reader.ForEach(
      node, "box", [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
        const std::string path = "box." + key;
        if (key == "form") {
          record.box_form = reader.OneOf<BoxForm>(value, path,
                                                  {{"centre_size", BoxForm::kCentreSize},
                                                   {"corner_size", BoxForm::kCornerSize},
                                                   {"corners", BoxForm::kCorners},
                                                   {"distances", BoxForm::kDistances}});
        } else if (key == "rule") {
          record.box_rule = reader.OneOf<BoxRule>(value, path,
                                                  {{"plain", BoxRule::kPlain},
                                                   {"grid", BoxRule::kGrid},
                                                   {"anchor", BoxRule::kAnchor},
                                                   {"prior", BoxRule::kPrior},
                                                   {"offset", BoxRule::kOffset}});
        } else if (key == "units") {
          spec->fractions =
              reader.OneOf<bool>(value, path, {{"pixels", false}, {"fraction", true}});
        } else if (key == "activation") {
          record.box_activation = reader.OneOf<Activation>(
              value, path, {{"none", Activation::kLinear}, {"sigmoid", Activation::kSigmoid}});
        } else if (key == "cell_offset") {
          record.cell_offset = reader.Real(value, path);
        } else if (key == "bins") {
          record.bins = static_cast<uint32_t>(reader.Whole(value, path, 0, blob::kMaxDecodeBins));
        } else if (key == "variances") {
          std::tie(record.centre_variance, record.size_variance) = reader.Pair(value, path);
        } else {
          reader.Bad(at, path,
                     "unknown key; known keys: form, rule, units, activation, cell_offset, bins "
                     "and variances");
        }
      });
}

void ReadClass(const Reader& reader, const YAML::Node& node, Spec* spec) {
  blob::DecodeRecord& record = spec->record;
  reader.ForEach(
      node, "class", [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
        const std::string path = "class." + key;
        if (key == "activation") {
          record.class_activation = reader.OneOf<Activation>(value, path,
                                                             {{"none", Activation::kLinear},
                                                              {"sigmoid", Activation::kSigmoid},
                                                              {"softmax", Activation::kSoftmax}});
        } else if (key == "background") {
          record.background = static_cast<uint32_t>(reader.Whole(value, path, 0, 1 << 20));
        } else if (key == "count") {
          spec->class_count = static_cast<uint32_t>(reader.Whole(value, path, 1, 1 << 20));
        } else if (key == "form") {
          record.class_form = reader.OneOf<blob::ClassForm>(value, path,
                                                            {{"scores", blob::ClassForm::kScores},
                                                             {"index", blob::ClassForm::kIndex},
                                                             {"number", blob::ClassForm::kNumber}});
        } else {
          reader.Bad(at, path, "unknown key; known keys: activation, background, count and form");
        }
      });
}

void ReadObject(const Reader& reader, const YAML::Node& node, Spec* spec) {
  reader.ForEach(node, "object",
                 [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                   if (key != "activation")
                     reader.Bad(at, "object." + key, "unknown key; known key: activation");
                   spec->record.object_activation = reader.OneOf<Activation>(
                       value, "object.activation",
                       {{"none", Activation::kLinear}, {"sigmoid", Activation::kSigmoid}});
                 });
}

void ReadPoints(const Reader& reader, const YAML::Node& node, Spec* spec) {
  reader.ForEach(node, "points",
                 [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                   if (key != "numbers")
                     reader.Bad(at, "points." + key, "unknown key; known key: numbers");
                   spec->record.point_numbers =
                       static_cast<uint8_t>(reader.Whole(value, "points.numbers", 2, 3));
                 });
}

void ReadAnchors(const Reader& reader, const YAML::Node& node, Spec* spec) {
  if (!node.IsSequence()) reader.Bad(node, "anchors", "expected a list of levels");
  for (const YAML::Node& level : node) {
    if (!level.IsSequence() || level.size() == 0) {
      reader.Bad(level, "anchors", "a level must be a list of [width, height] pairs");
    }
    std::vector<blob::DecodeAnchor>& anchors = spec->anchors.emplace_back();
    for (const YAML::Node& anchor : level) {
      const auto [width, height] = reader.Pair(anchor, "anchors");
      anchors.push_back({width, height});
    }
  }
}

// True where the key is one of the plain numbers.
bool ReadLimit(const Reader& reader, const std::string& key, const YAML::Node& value, Spec* spec) {
  blob::DecodeRecord& record = spec->record;
  if (key == "score_threshold") {
    record.score_threshold = reader.Real(value, key);
  } else if (key == "iou_threshold") {
    record.iou_threshold = reader.Real(value, key);
  } else if (key == "max_candidates") {
    record.max_candidates =
        static_cast<uint32_t>(reader.Whole(value, key, 1, blob::kMaxDecodeCandidates));
  } else if (key == "max_detections") {
    record.max_detections =
        static_cast<uint32_t>(reader.Whole(value, key, 1, blob::kMaxDecodeCandidates));
  } else if (key == "class_agnostic") {
    record.class_agnostic = reader.Truth(value, key) ? 1 : 0;
  } else {
    return false;
  }
  return true;
}

void ReadKey(const Reader& reader, const std::string& key, const YAML::Node& at,
             const YAML::Node& value, Spec* spec) {
  if (key == "layout") {
    spec->planes = reader.OneOf<bool>(value, key, {{"rows", false}, {"planes", true}});
  } else if (key == "channels") {
    spec->channels =
        reader.List(value, key, [&](const YAML::Node& node) { return reader.RoleOf(node, key); });
  } else if (key == "outputs") {
    reader.ForEach(
        value, key, [&](const std::string&, const YAML::Node& role, const YAML::Node& names) {
          spec->outputs[static_cast<size_t>(reader.RoleOf(role, key))] = reader.List(
              names, key, [&](const YAML::Node& name) { return reader.Text(name, key); });
        });
  } else if (key == "separate") {
    spec->separate =
        reader.List(value, key, [&](const YAML::Node& node) { return reader.RoleOf(node, key); });
    if (std::count(spec->separate.begin(), spec->separate.end(), Role::kBox) != 0) {
      reader.Bad(value, key, "boxes cannot be in `separate:`; remove box");
    }
  } else if (key == "prototypes") {
    spec->prototypes = reader.Text(value, key);
  } else if (key == "strides") {
    spec->strides = reader.List(value, key, [&](const YAML::Node& node) {
      return reader.Whole(node, key, 1, kLargestStride);
    });
  } else if (key == "anchors") {
    ReadAnchors(reader, value, spec);
  } else if (key == "anchor_order") {
    spec->anchors_outer = reader.OneOf<bool>(value, key, {{"inner", false}, {"outer", true}});
  } else if (key == "box") {
    ReadBox(reader, value, spec);
  } else if (key == "object") {
    ReadObject(reader, value, spec);
  } else if (key == "class") {
    ReadClass(reader, value, spec);
  } else if (key == "points") {
    ReadPoints(reader, value, spec);
  } else if (key == "score") {
    spec->record.score_rule = reader.OneOf<blob::ScoreRule>(
        value, key,
        {{"product", blob::ScoreRule::kProduct}, {"root", blob::ScoreRule::kRootOfProduct}});
  } else if (!ReadLimit(reader, key, value, spec)) {
    reader.Bad(at, key,
               "unknown key; known keys: layout, channels, outputs, separate, prototypes, strides, "
               "anchors, anchor_order, box, object, class, points, score, score_threshold, "
               "iou_threshold, max_candidates, max_detections and class_agnostic");
  }
}

Spec SpecOf(const Reader& reader, const YAML::Node& root) {
  Spec spec;
  spec.source = reader.file();
  reader.ForEach(root, "file",
                 [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                   ReadKey(reader, key, at, value, &spec);
                 });
  return spec;
}

Spec PresetSpec(const Preset& preset) {
  const Reader reader(preset.name);
  std::vector<Spec> forms;
  for (const char* text : preset.forms) {
    if (text == nullptr) break;
    Spec& form = forms.emplace_back(SpecOf(reader, reader.LoadText(text)));
    form.preset = true;
    form.cell_candidates = preset.cell_candidates;
  }
  Spec spec = forms[0];
  spec.other_forms.assign(forms.begin() + 1, forms.end());
  return spec;
}

}  // namespace

blob::DecodeRecord Spec::Defaults() {
  blob::DecodeRecord record{};
  record.background = blob::kNone;
  record.score_threshold = 0.25f;
  record.iou_threshold = 0.45f;
  record.unit_x = record.unit_y = 1;
  record.centre_variance = 0.1f;
  record.size_variance = 0.2f;
  record.max_candidates = 1024;
  record.max_detections = 100;
  record.point_numbers = 3;
  return record;
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

std::vector<Spec> AllPresets() {
  std::vector<Spec> specs;
  for (const Preset& preset : kPresets) specs.push_back(PresetSpec(preset));
  return specs;
}

Spec ReadSpec(const std::string& preset_or_path) {
  const auto preset = std::find_if(kPresets.begin(), kPresets.end(), [&](const Preset& candidate) {
    return preset_or_path == candidate.name;
  });
  if (preset != kPresets.end()) return PresetSpec(*preset);
  if (preset_or_path.find_first_of("./") == std::string::npos) {
    Fail("--decode {}: not a preset and not a YAML file; give one of {}, or FILE.yaml",
         preset_or_path, fmt::join(PresetNames(), ", "));
  }
  const Reader reader(preset_or_path);
  return SpecOf(reader, reader.Load());
}

}  // namespace octet::decode
