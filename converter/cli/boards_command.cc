#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "converter/boards/board.h"
#include "converter/boards/machine.h"
#include "converter/cli/commands.h"
#include "converter/sections/sections.h"
#include "converter/support/error.h"
#include "converter/support/shipped.h"
#include "converter/write/write.h"
#include "octet/octet.h"
#include "ports/linux/file.h"
#include "ports/linux/whitelist.h"

namespace octet::cli {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

struct BoardsOptions {
  std::vector<std::string> paths;
  std::string root = "/";
  std::string whitelist;  // file to write; empty: none
  bool as_json = false;
};

// The .yaml files of a folder by name, or the file itself, or the one that came with the program.
std::vector<std::string> FilesOf(const fs::path& path) {
  if (!fs::is_directory(path)) {
    return {FindShipped(path.string(), "boards", ".yaml", "give a board file, a folder of them")};
  }
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  if (files.empty()) Fail("{}: no .yaml file in this folder; name board files", path.string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string MemoryOf(const boards::Board& board) {
  if (board.memory_mib != 0) return fmt::format("{} MiB", board.memory_mib);
  return fmt::format("{} + {} KiB", board.flash_kib, board.ram_kib);
}

// A whole number as one.
json JsonOf(double number) {
  const auto whole = static_cast<int64_t>(number);
  return static_cast<double>(whole) == number ? json(whole) : json(number);
}

json JsonOf(const boards::Board& board, bool is_this) {
  json out = {{"compatible", board.compatible},
              {"this_machine", is_this},
              {"file", board.file},
              {"name", board.name},
              {"device_tree", board.device_tree},
              {"cpu", board.cpu},
              {"architecture", board.architecture},
              {"isa", board.isa},
              {"cores", board.cores},
              {"clock_mhz", board.clock_mhz}};
  if (board.cpu_id) out["cpu_id"] = {board.cpu_id->implementer, board.cpu_id->part};
  if (!board.video_decoder.empty()) out["video_decoder"] = board.video_decoder;
  if (board.memory_mib != 0) {
    out["memory_mib"] = board.memory_mib;
  } else {
    out["flash_kib"] = board.flash_kib;
    out["ram_kib"] = board.ram_kib;
  }
  out["fp16_arithmetic"] = board.fp16_arithmetic;
  out["winograd"] = board.winograd;
  if (board.thermal) {
    const boards::Thermal& thermal = *board.thermal;
    out["thermal"] = {{"zones", thermal.zones},
                      {"policy", thermal.policy},
                      {"enter_c", JsonOf(*thermal.enter_c)},
                      {"leave_c", JsonOf(*thermal.leave_c)},
                      {"dwell_s", JsonOf(*thermal.dwell_s)}};
    if (thermal.throttle_c) out["thermal"]["throttle_c"] = JsonOf(*thermal.throttle_c);
  }
  if (!board.guard.empty()) {
    for (const boards::Setting& setting : board.guard) out["guard"][setting.name] = setting.value;
  }
  out["whitelist"] = {{"precisions", board.precisions},
                      {"weight_schemes", board.weight_schemes},
                      {"activation_schemes", board.activation_schemes}};
  out["latency_budget_ms"] =
      board.latency_budget_ms ? json(*board.latency_budget_ms) : json(nullptr);
  return out;
}

void PrintTable(const std::vector<boards::Board>& all,
                const std::optional<boards::Recognised>& here, const boards::Machine& machine) {
  size_t name_width = 0, wide = 0;
  for (const boards::Board& board : all) {
    wide = std::max(wide, board.compatible.size());
    name_width = std::max(name_width, board.name.size());
  }
  fmt::print("  {:<{}} {:<{}} {:<14} {:<12} {:>5} {:>16}\n", "board", wide, "name", name_width,
             "architecture", "isa up to", "cores", "memory");
  for (size_t i = 0; i < all.size(); ++i) {
    const boards::Board& board = all[i];
    fmt::print("{} {:<{}} {:<{}} {:<14} {:<12} {:>5} {:>16}\n",
               here && here->board == i ? '*' : ' ', board.compatible, wide, board.name, name_width,
               board.architecture, board.isa.back(), board.cores, MemoryOf(board));
  }
  if (here) {
    fmt::print("* this machine, recognised by {}: octet convert --board {}\n", here->by,
               all[here->board].file);
  } else if (!machine.device_tree.empty()) {
    fmt::print("this machine is not in the list; its device tree: {}\n",
               fmt::join(machine.device_tree, ", "));
  } else {
    fmt::print("this machine is not in the list\n");
  }
}

// Of the one board that was named, else of this machine.
int WriteWhitelist(const BoardsOptions& options, const std::vector<boards::Board>& all,
                   const std::optional<boards::Recognised>& here) {
  if (!options.paths.empty() && all.size() != 1) {
    Fail("--whitelist: {} boards are named; name one: octet boards NAME --whitelist {}", all.size(),
         options.whitelist);
  }
  if (options.paths.empty() && !here) {
    Fail(
        "--whitelist: this machine is not in the list of boards; name a board: octet boards NAME "
        "--whitelist {}",
        options.whitelist);
  }
  const boards::Board& board = options.paths.empty() ? all[here->board] : all.front();
  if (std::filesystem::exists(options.whitelist)) {
    try {
      port::ReadWhitelist(options.whitelist);
    } catch (const port::InputError&) {
      Fail("--whitelist {}: the file exists and is not a whitelist of a board; name another file",
           options.whitelist);
    }
  }
  const std::string text = port::WhitelistText(board.compatible, board.precisions,
                                               board.weight_schemes, board.activation_schemes);
  write::SaveFile(options.whitelist, {text.begin(), text.end()});
  fmt::print(
      "{}: the whitelist of {}; for octet-camera and octet-run --board {}, or as the file `board` "
      "of a store\n",
      options.whitelist, board.compatible, options.whitelist);
  return kDone;
}

int Run(const BoardsOptions& options) {
  std::vector<std::string> files;
  if (options.paths.empty()) {
    const std::optional<fs::path> own = ShippedFolder("boards");
    if (!own) {
      Fail(
          "no board files beside this program (share/octet/boards); name the files: octet boards "
          "FILE...");
    }
    files = FilesOf(*own);
  } else {
    for (const std::string& path : options.paths) {
      const std::vector<std::string> more = FilesOf(path);
      files.insert(files.end(), more.begin(), more.end());
    }
  }
  if (!fs::is_directory(options.root))
    Fail("--root {}: no such folder; name the root folder of a board's system", options.root);
  // One that is broken is said, and hides no other.
  std::vector<boards::Board> all;
  int status = kDone;
  for (const std::string& file : files) {
    try {
      boards::Board board = boards::ReadBoard(file);
      sections::Asked asked;
      asked.board = board;
      asked.plan_count = OCTET_MAX_PLANS;
      // Says what is wrong with thermal and guard.
      for (const auto& section : sections::All()) section->Check(asked);
      all.push_back(std::move(board));
    } catch (const UserError& error) {
      fmt::print(stderr, "octet: {}\n", error.what());
      status = kBadInput;
    }
  }
  if (all.empty()) return status;
  const boards::Machine machine = boards::ReadMachine(options.root);
  const std::optional<boards::Recognised> here = boards::Recognise(all, machine);
  if (!options.whitelist.empty()) {
    return status == kDone ? WriteWhitelist(options, all, here) : status;
  }
  if (!options.as_json) {
    PrintTable(all, here, machine);
    return status;
  }
  json list = json::array();
  for (size_t i = 0; i < all.size(); ++i) list.push_back(JsonOf(all[i], here && here->board == i));
  const json out = {{"boards", list},
                    {"machine",
                     {{"architecture", machine.architecture},
                      {"device_tree", machine.device_tree},
                      {"recognised_by", here ? json(here->by) : json(nullptr)}}}};
  fmt::print("{}\n", out.dump(2));
  return status;
}

}  // namespace

void AddBoards(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand("boards", "list the board files, and mark this machine");
  command.Footer("The fields of a board file: boards/README.md of the sources.");
  auto options = std::make_shared<BoardsOptions>();
  command.Add("FILE", options->paths,
              "board files, folders of them, or names of shipped boards: only these are checked "
              "and listed");
  command
      .Add("--root", options->root,
           "folder with the proc of the machine to recognise (proc/device-tree/compatible, "
           "proc/cpuinfo)")
      .ShowDefault();
  command.Add("--whitelist", options->whitelist,
              "write the name and the whitelist of one board to this file (the board named, or "
              "this machine). It is for --board on the board, and for the file `board` of a store");
  command.AddFlag("--json", options->as_json, "every field, as JSON");
  command.WhenChosen([=] { *run = [=] { return Run(*options); }; });
}

}  // namespace octet::cli
