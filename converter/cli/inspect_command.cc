#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/blobs/blob_file.h"
#include "converter/cli/commands.h"
#include "converter/cli/inspect.h"
#include "converter/cli/inspect_model.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

// conv_s8,conv_f16,...: the kernels of the plan (empty: of all), each once.
std::string OperatorsOf(const nlohmann::json& blob, const std::string& plan_name) {
  std::set<std::string> words;
  std::vector<std::string> names;
  for (const nlohmann::json& plan : blob["plans"]) {
    names.push_back(plan["name"].get<std::string>());
    if (!plan_name.empty() && names.back() != plan_name) continue;
    for (const nlohmann::json& layer : plan["layers"])
      words.insert(layer["kernel"].get<std::string>());
  }
  if (!plan_name.empty() && std::find(names.begin(), names.end(), plan_name) == names.end()) {
    Fail("no plan {}; the blob has {}", plan_name, fmt::join(names, ", "));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

void InspectModel(const std::string& path, bool as_json) {
  const nlohmann::ordered_json model = DescribeModel(path);
  if (!as_json) return PrintModelText(model);
  fmt::print("{}\n", model.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

void AddInspect(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand(
      "inspect",
      "show every layer, tensor and section of a blob, or what an ONNX file says of itself");
  auto path = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  auto operators = std::make_shared<bool>(false);
  command
      .Add("FILE", *path,
           "the .octet file; of an ONNX file: metadata, inputs, outputs and operators")
      .Required();
  command.AddFlag("--json", *as_json, "print as JSON, with the arena offsets of all tensors");
  command.AddFlag("--operators", *operators,
                  "list only the operators of all plans, for a program linked without the others "
                  "(CMake: octet_select_operators)");
  auto plan = std::make_shared<std::string>();
  command.Add("--plan", *plan,
              "with --operators: only those of this plan, for a program that binds no other "
              "(octet_config.plan_mask)");
  command.WhenChosen([=] {
    *run = [=] {
      if (IsModel(*path)) {
        if (*operators) {
          Fail("{}: --operators is for blobs; give the .octet file, or remove --operators", *path);
        }
        InspectModel(*path, *as_json);
        return kDone;
      }
      const nlohmann::json description = Describe(blobs::BlobFile(*path));
      if (*operators) {
        fmt::print("{}\n", OperatorsOf(description, *plan));
      } else if (*as_json) {
        // Names come from the file as bytes; what is no UTF-8 must not stop the report.
        fmt::print("{}\n",
                   description.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      } else {
        PrintText(description);
      }
      return kDone;
    };
  });
}

}  // namespace octet::cli
