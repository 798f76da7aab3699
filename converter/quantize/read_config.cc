// The --config file.
//
//   activations: asymmetric            # or symmetric
//   calibration: {method: auto, percentile: 99.99}   # auto, min-max, percentile, mse
//   precision_constraints: prefer      # none, prefer, obey
//   int8_everywhere: false
//   layers:
//     "backbone/conv1*": {precision: fp16}
//   tensors:
//     "input": {min: 0, max: 1, scheme: symmetric, method: mse}
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <initializer_list>
#include <utility>

#include "converter/quantize/scheme.h"
#include "converter/support/error.h"

namespace octet::quantize {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  [[noreturn]] void Bad(const YAML::Node& node, const std::string& key,
                        const std::string& what) const {
    Fail("{}:{}: {}: {}", file_, node.Mark().line + 1, key, what);
  }

  std::string Text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) Bad(node, key, "one value is expected");
    return node.Scalar();
  }

  template <typename T>
  T OneOf(const YAML::Node& node, const std::string& key,
          std::initializer_list<std::pair<const char*, T>> words) const {
    const std::string text = Text(node, key);
    std::string known;
    for (const auto& [word, value] : words) {
      if (text == word) return value;
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    Bad(node, key, fmt::format("'{}' is none of {}", text, known));
  }

  double Number(const YAML::Node& node, const std::string& key) const {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value)) {
      Bad(node, key, "a finite number is expected");
    }
    return value;
  }

  bool Truth(const YAML::Node& node, const std::string& key) const {
    return OneOf<bool>(node, key, {{"true", true}, {"false", false}});
  }

  // Calls f(key, key node, value node) for every entry of a map.
  template <typename F>
  void ForEach(const YAML::Node& node, const std::string& key, F&& f) const {
    if (node.IsNull()) return;
    if (!node.IsMap()) Bad(node, key, "a map is expected");
    for (const auto& entry : node) {
      f(Text(entry.first, key), entry.first, entry.second);
    }
  }

  calibrate::Method Method(const YAML::Node& node, const std::string& key) const {
    using calibrate::Method;
    return OneOf<calibrate::Method>(node, key,
                                    {{"auto", Method::kAuto},
                                     {"min-max", Method::kMinMax},
                                     {"percentile", Method::kPercentile},
                                     {"mse", Method::kMse}});
  }

  bool Symmetric(const YAML::Node& node, const std::string& key) const {
    return OneOf<bool>(node, key, {{"symmetric", true}, {"asymmetric", false}});
  }

 private:
  const std::string& file_;
};

LayerOverride ReadLayer(const Reader& reader, const std::string& name, const YAML::Node& node) {
  LayerOverride layer{name, {}};
  reader.ForEach(
      node, name, [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
        const std::string path = "layers." + name + "." + key;
        if (key != "precision") reader.Bad(at, path, "unknown key; precision can be given");
        layer.precision = reader.OneOf<blob::Precision>(
            value, path, {{"int8", blob::Precision::kInt8}, {"fp16", blob::Precision::kFp16}});
      });
  return layer;
}

TensorOverride ReadTensor(const Reader& reader, const std::string& name, const YAML::Node& node) {
  TensorOverride tensor{name, {}, {}, {}, {}};
  reader.ForEach(node, name,
                 [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                   const std::string path = "tensors." + name + "." + key;
                   if (key == "min") {
                     tensor.min = static_cast<float>(reader.Number(value, path));
                   } else if (key == "max") {
                     tensor.max = static_cast<float>(reader.Number(value, path));
                   } else if (key == "scheme") {
                     tensor.symmetric = reader.Symmetric(value, path);
                   } else if (key == "method") {
                     tensor.method = reader.Method(value, path);
                   } else {
                     reader.Bad(at, path, "unknown key; min, max, scheme and method can be given");
                   }
                 });
  if (tensor.min && tensor.max && *tensor.min >= *tensor.max) {
    reader.Bad(node, "tensors." + name, "min has to be below max");
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
                       reader.Bad(
                           value, path,
                           "a share of the values in percent, above 50 and up to 100, is expected");
                     }
                   } else {
                     reader.Bad(at, path, "unknown key; method and percentile can be given");
                   }
                 });
}

}  // namespace

Config ReadConfig(const std::string& path) {
  Config config;
  const Reader reader(path);
  YAML::Node root;
  try {
    root = YAML::LoadFile(path);
  } catch (const YAML::BadFile&) {
    Fail("{}: cannot be opened", path);
  } catch (const YAML::ParserException& error) {
    Fail("{}:{}: is no YAML: {}", path, error.mark.line + 1, error.msg);
  }
  reader.ForEach(
      root, "file", [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
        if (key == "activations") {
          config.symmetric = reader.Symmetric(value, key);
        } else if (key == "calibration") {
          ReadCalibration(reader, value, &config);
        } else if (key == "precision_constraints") {
          config.constraint = reader.OneOf<Constraint>(value, key,
                                                       {{"none", Constraint::kNone},
                                                        {"prefer", Constraint::kPrefer},
                                                        {"obey", Constraint::kObey}});
        } else if (key == "int8_everywhere") {
          config.int8_everywhere = reader.Truth(value, key);
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
          reader.Bad(
              at, key,
              "unknown key; activations, calibration, precision_constraints, int8_everywhere, "
              "layers and tensors can be given");
        }
      });
  return config;
}

}  // namespace octet::quantize
