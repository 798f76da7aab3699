#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/assign/clock.h"
#include "converter/support/error.h"
#include "converter/support/file.h"

namespace octet::assign {
namespace {

using blob::Precision;

class Profile : public Clock {
 public:
  explicit Profile(const std::vector<std::string>& files) {
    for (const std::string& file : files) Read(file);
    for (const char* word : {"int8", "fp16"}) {
      const bool any = std::any_of(ns_.begin(), ns_.end(),
                                   [word](const auto& item) { return item.first.second == word; });
      if (any) continue;
      Fail(
          "{}: no layer ran in {}; give the profiles of both plans, joined by a comma (octet-run "
          "--plan {} --profile --json)",
          fmt::join(files, ","), word, word);
    }
  }

  int64_t NsOf(const lower::Program& program, const lower::Layer& layer) const override {
    const auto found = ns_.find({layer.name, WordOf(layer.precision)});
    if (found != ns_.end()) return found->second;
    if (layer.op == blob::Op::kReshape || layer.op == blob::Op::kConstant) return 0;
    uint64_t bytes = program.tensors[static_cast<size_t>(layer.output)].Size();
    for (int input : layer.inputs) bytes += program.tensors[static_cast<size_t>(input)].Size();
    return std::llround(static_cast<double>(bytes) * NsOfByte());
  }

  int64_t ConversionNs(uint64_t elements) const override {
    return std::llround(3 * static_cast<double>(elements) * NsOfByte());
  }

  std::string Source() const override { return fmt::format("{}", fmt::join(sources_, "; ")); }

  bool Knows(const lower::Layer& layer) const {
    return ns_.count({layer.name, WordOf(layer.precision)}) != 0;
  }
  const std::string& files() const { return files_; }

 private:
  static const char* WordOf(Precision precision) {
    return precision == Precision::kInt8 ? "int8" : "fp16";
  }

  void Read(const std::string& file) {
    files_ += (files_.empty() ? "" : ",") + file;
    RefuseFolder(file);
    std::ifstream stream(file);
    if (!stream) Fail("{}: cannot be opened; check the path", file);
    const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
    try {
      if (json.is_discarded() || !json.contains("layers")) throw std::invalid_argument("");
      for (const nlohmann::json& layer : json.at("layers")) {
        const int64_t ns = layer.at("ns").get<int64_t>();
        if (ns < 0) throw std::invalid_argument("");
        const auto bytes = static_cast<double>(layer.at("input_bytes").get<uint64_t>() +
                                               layer.at("output_bytes").get<uint64_t>());
        const bool converts = layer.at("op").get<std::string>() == "convert";
        if (converts) {
          converted_bytes_ += bytes;
          converted_ns_ += static_cast<double>(ns);
        } else if (layer.at("macs").get<uint64_t>() == 0) {
          moved_bytes_ += bytes;
          moved_ns_ += static_cast<double>(ns);
        }
        ns_[{layer.at("name").get<std::string>(), layer.at("precision").get<std::string>()}] = ns;
      }
      sources_.push_back(fmt::format("{} at {}, {} thread(s)", file,
                                     json.at("isa").get<std::string>(),
                                     json.at("threads").get<int>()));
    } catch (const std::exception&) {
      Fail("{}: not a profile; make one: octet-run MODEL.octet --input FILE --profile --json",
           file);
    }
  }

  // Of conversions; where none was measured, of everything without weights.
  double NsOfByte() const {
    if (converted_bytes_ > 0) return converted_ns_ / converted_bytes_;
    return moved_bytes_ > 0 ? moved_ns_ / moved_bytes_ : 0;
  }

  std::map<std::pair<std::string, std::string>, int64_t> ns_;  // by name and precision
  double converted_bytes_ = 0, converted_ns_ = 0, moved_bytes_ = 0, moved_ns_ = 0;
  std::vector<std::string> sources_;
  std::string files_;
};

}  // namespace

std::unique_ptr<Clock> ProfileClock(const std::vector<std::string>& files) {
  return std::make_unique<Profile>(files);
}

void CheckKnows(const Clock& clock, const std::vector<const lower::Program*>& programs) {
  const auto* profile = dynamic_cast<const Profile*>(&clock);
  if (profile == nullptr) return;
  for (const lower::Program* program : programs) {
    for (const lower::Layer& layer : program->layers) {
      if (layer.macs == 0 || profile->Knows(layer)) continue;
      Fail(
          "{}: layer '{}' of plan {} is missing; profile a blob of this model, converted with the "
          "same settings, in both plans",
          profile->files(), layer.name, NameOf(program->plan));
    }
  }
}

}  // namespace octet::assign
