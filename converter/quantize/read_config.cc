// The --config file.
//
//   activations: asymmetric            # or symmetric
//   weights: per_channel               # group (of 16 output channels), per_tensor
//   calibration: {method: auto, percentile: 99.99}   # auto, min-max, percentile, mse, kl
//   rounding: true                     # of weights by what layers compute from the data
//   bias_correction: true              # means that rounding shifted, put back
//   judged_ranges: true                # ranges of the worst tensors by what they do to the outputs
//   fp16_stretches: true               # layers that lose much for little time run in FP16
//   fp16_tail: true                    # arithmetic behind the last weights; unset: measured
//   channel_scales: true               # scales of single channels, where that pays
//   equalization: true                 # of neighbouring weights; unset: where scales are shared
//   precision_constraints: prefer      # none, prefer, obey
//   int8_everywhere: false
//   constant_parts: true               # of outputs are added in float
//   layers:
//     "backbone/conv1*": {precision: fp16, weights: group}
//     "head/*": {precision: fp16, constraint: obey}    # of its own
//   tensors:
//     "input": {min: 0, max: 1, scheme: symmetric, method: mse}
#include "converter/quantize/scheme.h"
#include "converter/support/yaml_reader.h"

namespace octet::quantize {
namespace {

class Reader : public YamlReader {
 public:
  using YamlReader::YamlReader;

  calibrate::Method Method(const YAML::Node& node, const std::string& key) const {
    using calibrate::Method;
    return OneOf<calibrate::Method>(node, key,
                                    {{"auto", Method::kAuto},
                                     {"min-max", Method::kMinMax},
                                     {"percentile", Method::kPercentile},
                                     {"mse", Method::kMse},
                                     {"kl", Method::kKl}});
  }

  Constraint Binding(const YAML::Node& node, const std::string& key) const {
    return OneOf<Constraint>(node, key,
                             {{"none", Constraint::kNone},
                              {"prefer", Constraint::kPrefer},
                              {"obey", Constraint::kObey}});
  }

  WeightScheme Weights(const YAML::Node& node, const std::string& key) const {
    return OneOf<WeightScheme>(node, key,
                               {{"per_channel", WeightScheme::kPerChannel},
                                {"group", WeightScheme::kGroup},
                                {"per_tensor", WeightScheme::kPerTensor}});
  }

  bool Symmetric(const YAML::Node& node, const std::string& key) const {
    return OneOf<bool>(node, key, {{"symmetric", true}, {"asymmetric", false}});
  }
};

LayerOverride ReadLayer(const Reader& reader, const std::string& name, const YAML::Node& node) {
  LayerOverride layer{name, {}, {}, {}};
  reader.ForEach(
      node, name, [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
        const std::string path = "layers." + name + "." + key;
        if (key == "precision") {
          layer.precision = reader.OneOf<blob::Precision>(
              value, path, {{"int8", blob::Precision::kInt8}, {"fp16", blob::Precision::kFp16}});
        } else if (key == "constraint") {
          layer.constraint = reader.Binding(value, path);
        } else if (key == "weights") {
          layer.weights = reader.Weights(value, path);
        } else {
          reader.Bad(at, path, "unknown key; known keys: precision, constraint and weights");
        }
      });
  if (layer.constraint && !layer.precision) {
    reader.Bad(node, "layers." + name,
               "a constraint needs a precision; add precision: int8 or fp16");
  }
  return layer;
}

TensorOverride ReadTensor(const Reader& reader, const std::string& name, const YAML::Node& node) {
  TensorOverride tensor{name, {}, {}, {}, {}};
  reader.ForEach(node, name,
                 [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                   const std::string path = "tensors." + name + "." + key;
                   if (key == "min") {
                     tensor.min = reader.Real(value, path);
                   } else if (key == "max") {
                     tensor.max = reader.Real(value, path);
                   } else if (key == "scheme") {
                     tensor.symmetric = reader.Symmetric(value, path);
                   } else if (key == "method") {
                     tensor.method = reader.Method(value, path);
                   } else {
                     reader.Bad(at, path, "unknown key; known keys: min, max, scheme and method");
                   }
                 });
  if (tensor.min && tensor.max && *tensor.min >= *tensor.max) {
    reader.Bad(node, "tensors." + name, "min is not below max; swap or correct them");
  }
  return tensor;
}

void ReadCalibration(const Reader& reader, const YAML::Node& node, Config* config) {
  reader.ForEach(node, "calibration",
                 [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                   const std::string path = "calibration." + key;
                   if (key == "method") {
                     config->method = reader.Method(value, path);
                   } else if (key == "percentile") {
                     config->percentile = reader.Number(value, path);
                     if (config->percentile <= 50 || config->percentile > 100) {
                       reader.Bad(value, path,
                                  "expected a percentage of the values, above 50 and at most 100");
                     }
                   } else {
                     reader.Bad(at, path, "unknown key; known keys: method and percentile");
                   }
                 });
}

}  // namespace

Config ReadConfig(const std::string& path) {
  Config config;
  const Reader reader(path);
  reader.ForEach(
      reader.Load(), "file",
      [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
        if (key == "activations") {
          config.symmetric = reader.Symmetric(value, key);
        } else if (key == "weights") {
          config.weights = reader.Weights(value, key);
        } else if (key == "calibration") {
          ReadCalibration(reader, value, &config);
        } else if (key == "precision_constraints") {
          config.constraint = reader.Binding(value, key);
        } else if (key == "channel_scales") {
          config.channel_scales = reader.Truth(value, key);
        } else if (key == "bias_correction") {
          config.bias_correction = reader.Truth(value, key);
        } else if (key == "fp16_stretches") {
          config.fp16_stretches = reader.Truth(value, key);
        } else if (key == "fp16_tail") {
          config.fp16_tail = reader.Truth(value, key);
        } else if (key == "judged_ranges") {
          config.judged_ranges = reader.Truth(value, key);
        } else if (key == "equalization") {
          config.equalization = reader.Truth(value, key);
        } else if (key == "rounding") {
          config.rounding = reader.Truth(value, key);
        } else if (key == "int8_everywhere") {
          config.int8_everywhere = reader.Truth(value, key);
        } else if (key == "constant_parts") {
          config.constant_parts = reader.Truth(value, key);
        } else if (key == "layers") {
          reader.ForEach(value, key,
                         [&](const std::string& name, const YAML::Node&, const YAML::Node& layer) {
                           config.layers.push_back(ReadLayer(reader, name, layer));
                         });
        } else if (key == "tensors") {
          reader.ForEach(value, key,
                         [&](const std::string& name, const YAML::Node&, const YAML::Node& tensor) {
                           config.tensors.push_back(ReadTensor(reader, name, tensor));
                         });
        } else {
          reader.Bad(at, key,
                     "unknown key; known keys: activations, bias_correction, calibration, "
                     "channel_scales, constant_parts, equalization, fp16_stretches, fp16_tail, "
                     "int8_everywhere, "
                     "judged_ranges, layers, precision_constraints, rounding, tensors and weights");
        }
      });
  return config;
}

}  // namespace octet::quantize
