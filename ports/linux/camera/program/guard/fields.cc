#include "ports/linux/camera/program/guard/fields.h"

#include <cmath>

namespace octet::port {

void AddGuardFields(const char* reason, float score, float temperature_c, Line* line) {
  line->Add(",\"reason\":\"%s\",\"score\":", reason);
  line->Add(std::isnan(score) ? "null" : "%.3f", static_cast<double>(score));
  line->Add(",\"temperature_c\":");
  line->Add(std::isnan(temperature_c) ? "null" : "%.1f", static_cast<double>(temperature_c));
}

}  // namespace octet::port
