#include "converter/convert/sections.h"

namespace octet::convert {

sections::Conversion ConversionOf(const Judged& from) {
  const Recovered& recovered = from.recovered();
  return {from.prepared().asked,
          from.calibrated().graph,
          from.calibrated().statistics,
          recovered.scheme,
          from.plans,
          *recovered.simulator,
          recovered.sets,
          from.calibrated().datasets};
}

Sectioned MakeSections(const Judged& from) {
  Sectioned result{from, from.prepared().info, {}};
  const sections::Conversion given = ConversionOf(from);
  for (const auto& section : from.options().sections) {
    section->TellAbsent(&result.told);
    if (!from.plans.empty()) section->Make(given, &result.info, &result.told);
  }
  return result;
}

}  // namespace octet::convert
