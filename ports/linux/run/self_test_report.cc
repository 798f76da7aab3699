#include "ports/linux/run/self_test_report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace octet::port {
namespace {

using nlohmann::ordered_json;

std::string Hex(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    char pair[3];
    std::snprintf(pair, sizeof(pair), "%02x", byte);
    text += pair;
  }
  return text;
}

std::string Cell(std::optional<double> value, int digits) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, *value);
  return text;
}

ordered_json OrNull(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json OrNull(std::optional<float> celsius) {
  return celsius ? ordered_json(*celsius) : ordered_json();
}

std::optional<double> Percent(double share) {
  if (share <= 0) return std::nullopt;
  return 100 * share;
}

}  // namespace

void PrintSelfTest(const SelfTest& test, const Machine& machine) {
  std::printf("octet-run %s, %s, blob %s\n", OCTET_VERSION_TEXT, machine.architecture.c_str(),
              test.model.c_str());
  std::printf("board: %s; CPU: %s; temperature: %s\n\n",
              machine.board.empty() ? "unknown" : machine.board.c_str(),
              machine.cpu.empty() ? "unknown" : machine.cpu.c_str(),
              test.sensor.empty() ? "no sensor" : test.sensor.c_str());
  std::printf("%-12s %-8s %7s  %-5s %10s %10s %7s %9s %8s\n", "level", "plan", "threads", "hash",
              "median ms", "first ms", "% peak", "before C", "after C");
  for (const SelfTestRow& row : test.rows) {
    std::printf("%-12s %-8s %7u  %-5s %10.3f %10.3f %7s %9s %8s\n", octet_isa_name(row.isa),
                row.plan.c_str(), row.threads, row.ok() ? "ok" : "WRONG", row.median_ms,
                row.first_ms, Cell(Percent(row.share_of_peak), 1).c_str(),
                Cell(row.before_c, 1).c_str(), Cell(row.after_c, 1).c_str());
  }
  const auto wrong = std::count_if(test.rows.begin(), test.rows.end(),
                                   [](const SelfTestRow& row) { return !row.ok(); });
  for (const SelfTestRow& row : test.rows) {
    if (!row.half_sums) continue;
    std::printf(
        "%s, %s, %u threads: sums in FP16 are %.5f of the outputs' range from float sums in root "
        "mean "
        "square; "
        "at most %.2f is right\n",
        octet_isa_name(row.isa), row.plan.c_str(), row.threads, *row.half_sums, kHalfSumsShare);
  }
  if (wrong == 0) {
    std::printf(
        "\nall %zu hashes are right: the board computes what it should. "
        "Times count only where nothing else runs.\n"
        "To add the board to docs/boards.md, send in the line of --self-test --json.\n",
        test.rows.size());
  } else {
    std::printf("\n%lld of %zu hashes are wrong; send the line of --self-test --json\n",
                static_cast<long long>(wrong), test.rows.size());
  }
}

void PrintSelfTestJson(const SelfTest& test, const Machine& machine) {
  ordered_json json;
  json["ok"] = test.ok();
  json["version"] = OCTET_VERSION_TEXT;
  json["model"] = test.model;
  json["blob_digest"] = Hex(test.blob_digest);
  json["architecture"] = machine.architecture;
  json["board"] = OrNull(machine.board);
  json["cpu"] = OrNull(machine.cpu);
  json["cores"] = AllThreads();
  json["kernel"] = OrNull(machine.kernel);
  json["sensor"] = OrNull(test.sensor);
  json["runs"] = ordered_json::array();
  for (const SelfTestRow& row : test.rows) {
    json["runs"].push_back(
        {{"isa", octet_isa_name(row.isa)},
         {"plan", row.plan},
         {"threads", row.threads},
         {"hash_ok", row.hash_ok},
         {"hash", Hex(row.found)},
         {"half_sums", row.half_sums ? ordered_json(*row.half_sums) : ordered_json()},
         {"frames", row.frames},
         {"median_ms", row.median_ms},
         {"first_ms", row.first_ms},
         {"share_of_peak", row.share_of_peak > 0 ? ordered_json(row.share_of_peak) : nullptr},
         {"temperature_before_c", OrNull(row.before_c)},
         {"temperature_after_c", OrNull(row.after_c)}});
  }
  // Names come from files as bytes; bytes that are not UTF-8 must not stop the report.
  std::printf("%s\n", json.dump(-1, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

}  // namespace octet::port
