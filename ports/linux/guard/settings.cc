#include "ports/linux/guard/settings.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace octet::port {
namespace {

constexpr const char* kPolicies[] = {"ignore", "raise_precision", "lower_precision", "lower_rate"};

// A field, and how many of its units are one unit of the name.
struct Field {
  const char* name;
  uint32_t octet_guard_config::*unsigned_field;
  int32_t octet_guard_config::*signed_field;
  double units;
};
using Config = octet_guard_config;
constexpr Field kFields[] = {
    {"home_plan", &Config::home_plan, nullptr, 1},
    {"trip_score", &Config::trip_score, nullptr, OCTET_GUARD_FULL_SCORE},
    {"trip_frames", &Config::trip_frames, nullptr, 1},
    {"return_score", &Config::return_score, nullptr, OCTET_GUARD_FULL_SCORE},
    {"return_frames", &Config::return_frames, nullptr, 1},
    {"dwell_s", &Config::dwell_ms, nullptr, 1000},
    {"dwell_max_s", &Config::dwell_max_ms, nullptr, 1000},
    {"reference_score", &Config::reference_score, nullptr, OCTET_GUARD_FULL_SCORE},
    {"shadow_every", &Config::shadow_every, nullptr, 1},
    {"enter_c", nullptr, &Config::enter_mc, 1000},
    {"leave_c", nullptr, &Config::leave_mc, 1000},
    {"throttle_c", nullptr, &Config::throttle_mc, 1000},
    {"heat_dwell_s", &Config::heat_dwell_ms, nullptr, 1000},
    {"sensor_lost_s", &Config::sensor_lost_ms, nullptr, 1000},
    {"sensor_stuck_s", &Config::sensor_stuck_ms, nullptr, 1000},
};
constexpr const char* kWeights[OCTET_GUARD_SIGNALS] = {"weight_application", "weight_agreement",
                                                       "weight_saturation"};

bool ReadNumber(const std::string& text, double units, double least, double most, double* number) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !std::isfinite(value)) return false;
  *number = std::nearbyint(value * units);
  return *number >= least && *number <= most;
}

std::string Written(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace

std::string WhatGuardTakes(const std::string& name) {
  if (name == "policy") {
    std::string words;
    for (const char* word : kPolicies) words += (words.empty() ? "" : ", ") + std::string(word);
    return "expected one of " + words;
  }
  if (name.find("_score") != std::string::npos) return "expected a share from 0 to 1";
  if (name.rfind("_s") == name.size() - 2) return "expected seconds";
  if (name.rfind("_c") == name.size() - 2) return "expected degrees Celsius";
  return "expected a whole number";
}

bool SetGuard(const std::string& name, const std::string& value, octet_guard_config* config) {
  double number;
  for (const Field& field : kFields) {
    if (name != field.name) continue;
    if (field.unsigned_field != nullptr) {
      if (!ReadNumber(value, field.units, 0, UINT32_MAX, &number)) return false;
      config->*field.unsigned_field = static_cast<uint32_t>(number);
    } else {
      if (!ReadNumber(value, field.units, INT32_MIN, INT32_MAX, &number)) return false;
      config->*field.signed_field = static_cast<int32_t>(number);
    }
    return true;
  }
  for (uint32_t i = 0; i < OCTET_GUARD_SIGNALS; ++i) {
    if (name != kWeights[i]) continue;
    if (!ReadNumber(value, 1, 0, UINT32_MAX, &number)) return false;
    config->weights[i] = static_cast<uint32_t>(number);
    return true;
  }
  for (uint32_t i = 0; name == "policy" && i < std::size(kPolicies); ++i) {
    if (value != kPolicies[i]) continue;
    config->policy = i;
    return true;
  }
  return false;
}

std::string SetGuards(const std::string& settings, octet_guard_config* config) {
  std::istringstream list(settings);
  for (std::string entry; std::getline(list, entry, ',');) {
    const size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals != std::string::npos && SetGuard(name, entry.substr(equals + 1), config)) continue;
    std::string names;
    for (const auto& [known, value] : ListGuard(*config)) {
      if (known == name) {
        return "'" + entry + "': not a valid value of " + name + ", which is " + value + " now; " +
               WhatGuardTakes(name);
      }
      names += " " + known + "=" + value;
    }
    return "'" + entry + "' is not a setting; the settings of this blob are" + names;
  }
  const std::string contradiction = ContradictionOf(*config);
  return contradiction.empty() ? "" : "'" + settings + "': " + contradiction + "; change it";
}

std::string ContradictionOf(const octet_guard_config& c) {
  octet_guard guard;
  if (octet_guard_init(&guard, &c, 0).code == OCTET_OK) return "";
  // As `name value`, by the field's own units.
  const auto said = [&](const char* name) {
    for (const auto& [known, value] : ListGuard(c)) {
      if (known == name) return known + " " + value;
    }
    return std::string(name);
  };
  if (c.home_plan >= c.plan_count) {
    return said("home_plan") + " is not a plan of this blob: expected 0 to " +
           std::to_string(c.plan_count - 1);
  }
  if (c.return_score > OCTET_GUARD_FULL_SCORE) return said("return_score") + " is above 1";
  if (c.trip_score > c.return_score) {
    return said("return_score") + " is below " + said("trip_score");
  }
  const bool heat = c.policy != OCTET_GUARD_HEAT_IGNORED;
  for (const char* name : {"trip_frames", "return_frames", "reference_score", "sensor_lost_s"}) {
    if (!heat && name == std::string("sensor_lost_s")) continue;
    if (said(name) == std::string(name) + " 0") return said(name) + ": must be above 0";
  }
  if (c.dwell_ms > c.dwell_max_ms) return said("dwell_s") + " is above " + said("dwell_max_s");
  if (c.leave_mc >= c.enter_mc) return said("leave_c") + " is not below " + said("enter_c");
  if (c.enter_mc >= c.throttle_mc) return said("enter_c") + " is not below " + said("throttle_c");
  if (c.leave_mc < 0) return said("leave_c") + ": must be above -300";
  return said("throttle_c") + ": must be below 1000";
}

std::vector<std::pair<std::string, std::string>> ListGuard(const octet_guard_config& config) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Field& field : kFields) {
    const double number = field.unsigned_field != nullptr
                              ? static_cast<double>(config.*field.unsigned_field)
                              : static_cast<double>(config.*field.signed_field);
    list.emplace_back(field.name, Written(number / field.units));
  }
  for (uint32_t i = 0; i < OCTET_GUARD_SIGNALS; ++i) {
    list.emplace_back(kWeights[i], std::to_string(config.weights[i]));
  }
  list.emplace_back("policy", kPolicies[config.policy]);
  return list;
}

}  // namespace octet::port
