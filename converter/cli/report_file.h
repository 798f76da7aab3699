// --report: the figures of a conversion as a page or as JSON.
#ifndef OCTET_CONVERTER_CLI_REPORT_FILE_H_
#define OCTET_CONVERTER_CLI_REPORT_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "converter/analyze/analyze.h"
#include "converter/convert/convert.h"
#include "converter/convert/options.h"
#include "converter/report/report.h"

namespace octet::cli {

inline constexpr const char* kReportHelp =
    "write the loss of the int8 plan layer by layer, with memory, gains and pictures: FILE.html is "
    "one offline page, FILE.json has the same figures (docs/analyze.md)";

// What analyze and --report simulate where nobody says how many: figures of a layer are sums over
// thousands of numbers a picture, and hardly move with more.
inline constexpr int64_t kAnalyzedPictures = 16;

// Before any work: the file's name ends in .html or .json, and it can be written and is none of
// `others`. Throws UserError.
void CheckReport(const std::string& path, const std::vector<std::filesystem::path>& others);

// What the int8 plan of a conversion loses on at most `pictures` of the samples that report;
// simulated anew only where that is fewer than the verdict looked at.
analyze::Analysis AnalyzeConversion(const convert::ConvertOptions& options,
                                    const convert::Conversion& conversion, int64_t pictures);

report::Report ReportOf(const convert::ConvertOptions& options,
                        const convert::Conversion& conversion, const analyze::Analysis& analysis);

void SaveReport(const std::string& path, const report::Report& report);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_REPORT_FILE_H_
