#include "converter/judge/measure/texts.h"

#include <fmt/format.h>

namespace octet::judge {

bool TextMeasure::AreEqual(const Answer& expected, const Answer& actual) const {
  return expected.text == actual.text;
}

std::string TextMeasure::TableWords() const {
  return fmt::format("text equal in {} of {}", Same(), size());
}

std::string TextMeasure::Words() const {
  return fmt::format("gives FP32's text in {} of {} samples", Same(), size());
}

void TextMeasure::AddJson(nlohmann::json* row) const {
  (*row)["same_texts"] = Agreement();
}

}  // namespace octet::judge
