#include "converter/cli/pass_list.h"

#include <fmt/format.h>

#include "converter/passes/late_passes.h"
#include "converter/passes/passes.h"

namespace octet::cli {

std::string PassList() {
  std::string text;
  for (const passes::Pass& pass : passes::AllPasses()) {
    text += fmt::format("{}{:<12} {:<27} {}{}", text.empty() ? "" : "\n", pass.family, pass.name,
                        pass.guarantees,
                        pass.needs.empty() ? "" : fmt::format("; needs {}", pass.needs));
  }
  for (const passes::LatePass& pass : passes::LatePasses()) {
    text += fmt::format("\n{:<12} {:<27} {}", "late", pass.name, pass.guarantees);
  }
  return text;
}

}  // namespace octet::cli
