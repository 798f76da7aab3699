#include "converter/cli/report_file.h"

#include <algorithm>
#include <utility>

#include "converter/cli/report_pictures.h"
#include "converter/report/ledger.h"
#include "converter/support/error.h"
#include "converter/support/threads.h"
#include "converter/write/write.h"

namespace octet::cli {
namespace {

std::vector<const images::Dataset*> DatasetsOf(const convert::Conversion& conversion) {
  std::vector<const images::Dataset*> datasets;
  for (const auto& input : conversion.inputs) datasets.push_back(input.get());
  return datasets;
}

// What each solver chose, and the front of all that the table knows.
std::vector<report::ParetoPoint> PointsOf(const assign::Result& result) {
  std::vector<report::ParetoPoint> points;
  const auto fp16_units = [](const assign::Assignment& assignment) {
    return std::count(assignment.begin(), assignment.end(), true);
  };
  // Beside those that run in FP16 anyway.
  const auto always = fp16_units(assign::AllInt8(result.table));
  const auto add = [&](const assign::Candidate& candidate, bool chosen) {
    points.push_back({candidate.name, static_cast<double>(candidate.plan_ns) / 1e6,
                      candidate.measured.value, candidate.measured.standard_error,
                      fp16_units(candidate.assignment) - always, chosen});
  };
  for (size_t i = 0; i < result.candidates.size(); ++i) {
    add(result.candidates[i], i == result.chosen);
  }
  for (const assign::Candidate& point : result.front) add(point, false);
  return points;
}

}  // namespace

void CheckReport(const std::string& path, const std::vector<std::filesystem::path>& others) {
  if (!path.ends_with(".html") && !path.ends_with(".json")) {
    Fail("--report {}: the name must end in .html (a page) or .json (figures)", path);
  }
  write::CheckWritable(path, others);
  // One that this command writes as well need not be there yet.
  for (const std::filesystem::path& other : others) {
    std::error_code ignored;
    if (std::filesystem::weakly_canonical(path, ignored) ==
        std::filesystem::weakly_canonical(other, ignored)) {
      Fail("--report {}: this command writes that file itself; name another file", path);
    }
  }
}

analyze::Analysis AnalyzeConversion(const convert::ConvertOptions& options,
                                    const convert::Conversion& conversion, int64_t pictures) {
  if (conversion.analysis.pictures <= pictures) return conversion.analysis;
  convert::Stage stage(conversion.progress.get(), "analyzing");
  simulate::Options judging;
  judging.threads = ThreadCount(options.threads);
  judging.memory_bytes = options.memory_bytes;
  const simulate::Simulator simulator(conversion.graph, DatasetsOf(conversion), judging);
  std::vector<int64_t> samples = conversion.sets.report;
  samples.resize(static_cast<size_t>(pictures));
  return analyze::Analyze(simulator, conversion.statistics, conversion.scheme, samples,
                          stage.Shower());
}

report::Report ReportOf(const convert::ConvertOptions& options,
                        const convert::Conversion& conversion, const analyze::Analysis& analysis) {
  report::Report report;
  report.model = std::filesystem::path(options.model).filename().string();
  report.version = OCTET_VERSION_TEXT;
  report.blob_bytes = conversion.blob.size();
  report.samples = conversion.samples;
  report.warnings = conversion.scheme.warnings;
  report.verdict = conversion.verdict.Lines();
  const nlohmann::json verdict = conversion.verdict.Json();
  for (const char* key : {"judgement", "figure_name", "figure", "interval", "limit"}) {
    report.judgement[key] = verdict[key];
  }
  report.analysis = analysis;
  for (const write::Plan& plan : conversion.plans) {
    report.memory.push_back(report::TimelineOf(plan));
  }
  report.ledger = report::LedgerJson(conversion.graph, conversion.scheme);
  if (conversion.assignment) report.pareto = PointsOf(*conversion.assignment);
  for (const recover::Step& step : conversion.steps) {
    if (!step.tried) continue;
    if (step.judged) {
      report.gains.push_back({step.name, "% agreement", 100 * step.before_agreement,
                              100 * step.after_agreement, step.kept});
    }
    report.gains.push_back({step.name, "dB", step.before_db, step.after_db, step.kept});
  }
  report.pictures = PicturesOf(conversion);
  return report;
}

void SaveReport(const std::string& path, const report::Report& report) {
  const nlohmann::json document = report::ToJson(report);
  const std::string text =
      path.ends_with(".html") ? report::Page(document) : report::Text(document) + "\n";
  write::SaveFile(path, std::vector<uint8_t>(text.begin(), text.end()));
}

}  // namespace octet::cli
