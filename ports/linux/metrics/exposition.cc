#include "ports/linux/metrics/exposition.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace octet::port {

// At the end of the family: what stands behind it moves.
void Exposition::Add(std::string_view text) {
  if (text.size() > text_.size() - length_) fits_ = false;
  if (!fits_) return;
  char* const at = text_.data() + families_[family_].end;
  std::memmove(at + text.size(), at, length_ - families_[family_].end);
  std::memcpy(at, text.data(), text.size());
  length_ += text.size();
  for (size_t i = family_; i < count_; ++i) families_[i].end += text.size();
}

void Exposition::Family(const char* name, const char* type, const char* help) {
  for (family_ = 0; family_ < count_; ++family_) {
    if (families_[family_].name == name) return;
  }
  if (count_ == kMostFamilies) {
    family_ = 0;
    fits_ = false;
    return;
  }
  families_[count_++] = {name, length_};
  const std::string_view own = name;
  for (const std::string_view part :
       {std::string_view("# HELP "), own, std::string_view(" "), std::string_view(help),
        std::string_view("\n# TYPE "), own, std::string_view(" "), std::string_view(type),
        std::string_view("\n")}) {
    Add(part);
  }
}

void Exposition::AddLabel(const char* before, const MetricLabel& label) {
  Add(before);
  Add(label.name);
  Add("=\"");
  for (const char& c : label.value) {
    if (c == '\\') {
      Add("\\\\");
    } else if (c == '"') {
      Add("\\\"");
    } else if (c == '\n') {
      Add("\\n");
    } else {
      Add({&c, 1});
    }
  }
  Add("\"");
}

void Exposition::Begin(const char* suffix, std::initializer_list<MetricLabel> labels) {
  Add(families_[family_].name);
  Add(suffix);
  const char* before = "{";
  if (!camera_.empty()) {
    AddLabel(before, {"camera", camera_});
    before = ",";
  }
  for (const MetricLabel& label : labels) {
    AddLabel(before, label);
    before = ",";
  }
  Add(*before == ',' ? "} " : " ");
}

void Exposition::AddNumber(double value, int digits) {
  if (std::isnan(value)) return Add("NaN");
  if (std::isinf(value)) return Add(value > 0 ? "+Inf" : "-Inf");
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  Add(text);
}

void Exposition::Sample(const char* suffix, std::initializer_list<MetricLabel> labels,
                        double value) {
  Begin(suffix, labels);
  AddNumber(value, std::numeric_limits<double>::digits10);
  Add("\n");
}

void Exposition::Sample(const char* suffix, std::initializer_list<MetricLabel> labels,
                        float value) {
  Begin(suffix, labels);
  // One digit more than a float holds surely, so that every change of a float is visible.
  AddNumber(static_cast<double>(value), std::numeric_limits<float>::digits10 + 1);
  Add("\n");
}

void Exposition::Sample(const char* suffix, std::initializer_list<MetricLabel> labels,
                        uint64_t value) {
  Begin(suffix, labels);
  char text[32];
  std::snprintf(text, sizeof(text), "%llu", static_cast<unsigned long long>(value));
  Add(text);
  Add("\n");
}

void WriteCounter(const char* name, const char* help, uint64_t value, Exposition* out) {
  out->Family(name, "counter", help);
  out->Sample("", {}, value);
}

void WriteIfKnown(const char* name, const char* help, float value, Exposition* out) {
  if (!std::isnan(value)) WriteGauge(name, help, value, out);
}

}  // namespace octet::port
