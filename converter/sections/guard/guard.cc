#include "converter/sections/guard/guard.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/support/error.h"
#include "ports/linux/guard/settings.h"
#include "ports/linux/words/nearest.h"
#include "runtime/format/guard_record.h"
#include "runtime/format/view.h"

namespace octet::sections {
namespace {

// Of the thermal fields; the reader of board files has checked their ranges.
void SetHeat(const std::string& file, const std::string& name, const std::string& value,
             octet_guard_config* config) {
  if (!port::SetGuard(name, value, config)) {
    Fail("{}: thermal: '{}' is not a valid value of {}: {}", file, value, name,
         port::WhatGuardTakes(name));
  }
}

void SetHeat(const std::string& file, const std::string& name, const std::optional<double>& value,
             octet_guard_config* config) {
  if (value) SetHeat(file, name, fmt::format("{}", *value), config);
}

void Set(const std::string& file, const boards::Setting& setting, octet_guard_config* config) {
  if (port::SetGuard(setting.name, setting.value, config)) return;
  std::vector<std::string> names;
  for (const auto& [known, now] : port::ListGuard(*config)) names.push_back(known);
  const std::string where = fmt::format("{}:{}: guard.{}", file, setting.line, setting.name);
  if (std::find(names.begin(), names.end(), setting.name) == names.end()) {
    Fail("{}: no such setting; the nearest name is '{}'; the settings are {}", where,
         port::Nearest(setting.name, names), fmt::join(names, " "));
  }
  Fail("{}: '{}' is not a valid value: {}", where, setting.value,
       port::WhatGuardTakes(setting.name));
}

blob::GuardRecord RecordOf(const octet_guard_config& c, size_t zones_bytes) {
  blob::GuardRecord r{};
  r.record_bytes = sizeof(r);
  r.home_plan = c.home_plan;
  r.trip_score = c.trip_score;
  r.trip_frames = c.trip_frames;
  r.return_score = c.return_score;
  r.return_frames = c.return_frames;
  r.dwell_ms = c.dwell_ms;
  r.dwell_max_ms = c.dwell_max_ms;
  std::copy(std::begin(c.weights), std::end(c.weights), r.weights);
  r.reference_score = c.reference_score;
  r.shadow_every = c.shadow_every;
  r.policy = c.policy;
  r.enter_mc = c.enter_mc;
  r.leave_mc = c.leave_mc;
  r.throttle_mc = c.throttle_mc;
  r.heat_dwell_ms = c.heat_dwell_ms;
  r.sensor_lost_ms = c.sensor_lost_ms;
  r.sensor_stuck_ms = c.sensor_stuck_ms;
  r.zones_bytes = static_cast<uint32_t>(zones_bytes);
  return r;
}

}  // namespace

std::vector<uint8_t> GuardSection(const boards::Board& board, uint32_t plan_count) {
  if (!board.thermal && board.guard.empty()) return {};
  octet_guard_config config;
  octet_guard_defaults(&config, plan_count);
  std::string zones;
  if (board.thermal) {
    const boards::Thermal& thermal = *board.thermal;
    for (const std::string& zone : thermal.zones) zones += zone + '\0';
    if (!thermal.policy.empty()) SetHeat(board.file, "policy", thermal.policy, &config);
    SetHeat(board.file, "enter_c", thermal.enter_c, &config);
    SetHeat(board.file, "leave_c", thermal.leave_c, &config);
    SetHeat(board.file, "throttle_c", thermal.throttle_c, &config);
    SetHeat(board.file, "heat_dwell_s", thermal.dwell_s, &config);
    // Where the vendor documents none, the board has none that we could get ahead of.
    constexpr int32_t kNeverMillidegrees = 999000;
    if (!thermal.throttle_c) config.throttle_mc = kNeverMillidegrees;
  } else {
    config.policy = OCTET_GUARD_HEAT_IGNORED;
  }
  for (const boards::Setting& setting : board.guard) Set(board.file, setting, &config);
  if (const std::string contradiction = port::ContradictionOf(config); !contradiction.empty()) {
    Fail("{}: thermal and guard contradict each other: {}; change one of the two", board.file,
         contradiction);
  }
  blob::GuardRecord record = RecordOf(config, zones.size());
  if (board.latency_budget_ms) {
    record.latency_budget_us = static_cast<uint32_t>(1000 * *board.latency_budget_ms);
  }
  std::vector<uint8_t> section(sizeof(record) + zones.size());
  std::memcpy(section.data(), &record, sizeof(record));
  std::copy(zones.begin(), zones.end(), section.begin() + sizeof(record));
  return section;
}

std::vector<uint8_t> DefaultGuardSection(uint32_t plan_count) {
  octet_guard_config config;
  octet_guard_defaults(&config, plan_count);
  const blob::GuardRecord record = RecordOf(config, 0);
  std::vector<uint8_t> section(sizeof(record));
  std::memcpy(section.data(), &record, sizeof(record));
  return section;
}

nlohmann::json GuardJson(const uint8_t* blob, size_t blob_bytes) {
  BlobView view{};
  bool has_section = false;
  if (IsOk(ViewSections(blob, blob_bytes, &view))) {
    for (uint32_t i = 0; i < view.header->section_count; ++i) {
      has_section |= SectionAt(view.header, i)->kind == blob::SectionKind::kGuard;
    }
  }
  if (!has_section) return {};
  octet_guard_config config;
  const octet_status status = octet_guard_from_blob(blob, blob_bytes, &config);
  if (status.code != OCTET_OK) return {{"error", octet_code_name(status.code)}};
  nlohmann::json result;
  for (const auto& [name, value] : port::ListGuard(config)) {
    result[name] = nlohmann::json::parse(value, nullptr, false);
    if (result[name].is_discarded()) result[name] = value;  // a word
  }
  const uint32_t budget_us = octet_guard_latency_budget_us(blob, blob_bytes);
  result["latency_budget_ms"] = nullptr;
  if (budget_us != 0) result["latency_budget_ms"] = budget_us / 1000.0;
  result["zones"] = nlohmann::json::array();
  size_t zones_bytes = 0;
  const char* zones = octet_guard_zones(blob, blob_bytes, &zones_bytes);
  for (size_t at = 0; at < zones_bytes; at += std::strlen(zones + at) + 1) {
    result["zones"].push_back(zones + at);
  }
  result["probes"] = nlohmann::json::array();
  octet_probes probes;
  if (octet_probes_init(&probes, blob, blob_bytes).code == OCTET_OK) {
    for (uint32_t i = 0; i < octet_probes_count(&probes); ++i) {
      octet_probe_info info;
      octet_probes_info(&probes, i, &info);
      result["probes"].push_back(info.name);
    }
  }
  return result;
}

std::string GuardText(const nlohmann::json& guard) {
  if (guard.is_null()) return "";
  if (guard.contains("error")) return fmt::format("guard: {}\n", guard["error"].get<std::string>());
  std::string settings;
  for (const auto& [name, value] : guard.items()) {
    if (name == "zones" || name == "probes" || name == "latency_budget_ms") continue;
    settings += fmt::format("{}{}={}", settings.empty() ? "" : ",", name,
                            value.is_string() ? value.get<std::string>() : value.dump());
  }
  std::vector<std::string> zones = guard["zones"];
  const nlohmann::json& budget = guard["latency_budget_ms"];
  return fmt::format("guard: {}\nthermal zones {}; latency budget {}; probes {}\n", settings,
                     zones.empty() ? "any" : fmt::format("{}", fmt::join(zones, ", ")),
                     budget.is_null() ? "none" : budget.dump() + " ms", guard["probes"].size());
}

}  // namespace octet::sections
