// Text format 0.0.4 of Prometheus, in one buffer that is kept.
#ifndef OCTET_PORTS_LINUX_METRICS_EXPOSITION_H_
#define OCTET_PORTS_LINUX_METRICS_EXPOSITION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace octet::port {

struct MetricLabel {
  const char* name;
  std::string_view value;  // UTF-8; the caller sees to it
};

class Exposition {
 public:
  explicit Exposition(size_t capacity_bytes) : text_(capacity_bytes) {}

  void Clear() { length_ = 0, count_ = 0, fits_ = true; }
  // HELP and TYPE; the samples that follow are the family's. help: plain text. Of a name that was
  // there before only the samples: those of a family stand together.
  void Family(const char* name, const char* type, const char* help);
  // suffix: of the family's name (_bucket, _sum, _count), or "".
  void Sample(const char* suffix, std::initializer_list<MetricLabel> labels, double value);
  // With as many digits as a float has.
  void Sample(const char* suffix, std::initializer_list<MetricLabel> labels, float value);
  void Sample(const char* suffix, std::initializer_list<MetricLabel> labels, uint64_t value);
  // The samples that follow have this label `camera`; "": none. Valid until the next call.
  void SetCamera(std::string_view name) { camera_ = name; }

  // False where something did not fit: the text is worth nothing then.
  bool fits() const { return fits_; }
  std::string_view text() const { return {text_.data(), length_}; }

 private:
  // name: a constant.
  struct Known {
    std::string_view name;
    size_t end;  // of its text
  };
  static constexpr size_t kMostFamilies = 128;

  void Add(std::string_view text);
  void AddLabel(const char* before, const MetricLabel& label);
  void AddNumber(double value, int digits);
  void Begin(const char* suffix, std::initializer_list<MetricLabel> labels);

  std::vector<char> text_;
  size_t length_ = 0;
  bool fits_ = true;
  std::array<Known, kMostFamilies> families_{};  // as they stand in the text
  size_t count_ = 0, family_ = 0;                // how many, and the one that samples go to
  std::string_view camera_;
};

// A family of one sample.
template <typename Number>
void WriteGauge(const char* name, const char* help, Number value, Exposition* out) {
  out->Family(name, "gauge", help);
  out->Sample("", {}, value);
}
void WriteCounter(const char* name, const char* help, uint64_t value, Exposition* out);
// Absent where it is not a number.
void WriteIfKnown(const char* name, const char* help, float value, Exposition* out);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_EXPOSITION_H_
