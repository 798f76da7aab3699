#include <algorithm>
#include <filesystem>
#include <memory>

#include "converter/blobs/blob_file.h"
#include "converter/cli/commands.h"
#include "converter/cli/embed.h"
#include "converter/support/error.h"
#include "converter/write/write.h"
#include "octet/octet.h"
#include "runtime/core/isa.h"

namespace octet::cli {
namespace {

namespace fs = std::filesystem;

struct EmbedOptions {
  std::string blob, output, name, plan;
  uint32_t threads = 1;
};

size_t ArenaBytes(const blobs::BlobFile& file, octet_isa isa, uint32_t threads,
                  uint32_t plan_mask) {
  size_t bytes = 0;
  if (octet_arena_bytes(file.data(), file.bytes(), isa, threads, plan_mask, &bytes).code !=
      OCTET_OK) {
    throw std::logic_error("verified blob has no arena size");
  }
  return bytes;
}

// octet_config.plan_mask of the plan with this name; empty: of all.
uint32_t MaskOf(const blobs::BlobFile& file, const std::string& plan) {
  octet_blob_info info;
  octet_blob_describe(file.data(), file.bytes(), &info);
  std::string names;
  for (uint32_t p = 0; p < info.plan_count; ++p) {
    if (plan == info.plan_names[p]) return 1u << p;
    names += fmt::format("{}{}", p == 0 ? "" : ", ", info.plan_names[p]);
  }
  if (!plan.empty()) Fail("--plan {}: no such plan; the blob has {}", plan, names);
  return (1u << info.plan_count) - 1;
}

// The blob's bytes, the plans, the arena of any level, and that of each.
std::vector<Constant> ConstantsOf(const blobs::BlobFile& file, uint32_t threads,
                                  uint32_t plan_mask) {
  std::vector<Constant> levels;
  size_t most = 0;
  for (octet_isa isa = 0; isa < kIsaCount; ++isa) {
    const size_t bytes = ArenaBytes(file, isa, threads, plan_mask);
    levels.push_back({fmt::format("ARENA_BYTES_{}", octet_isa_name(isa)), bytes});
    most = std::max(most, bytes);
  }
  std::vector<Constant> all = {
      {"BLOB_BYTES", file.bytes()}, {"PLAN_MASK", plan_mask}, {"ARENA_BYTES", most}};
  all.insert(all.end(), levels.begin(), levels.end());
  return all;
}

void Save(const fs::path& path, const std::string& text) {
  write::SaveFile(path, {text.begin(), text.end()});
}

int Run(const EmbedOptions& options) {
  if (fs::path(options.output).filename().empty()) {
    Fail("--output {}: this is a folder; add the name of both files, without .S and .h",
         options.output);
  }
  const std::string name =
      options.name.empty() ? IdentifierOf(fs::path(options.output).filename()) : options.name;
  if (!IsIdentifier(name)) {
    Fail(
        "--name {}: not a name for symbols; use letters, digits and single underscores, starting "
        "with a letter",
        name);
  }
  const fs::path assembler = options.output + ".S", header = options.output + ".h";
  write::CheckWritable(assembler);
  write::CheckWritable(header);
  const blobs::BlobFile file(options.blob);
  const std::string text = HeaderText(
      name, options.threads, ConstantsOf(file, options.threads, MaskOf(file, options.plan)));
  Save(assembler, AssemblerText(name, {file.data(), file.bytes()}));
  try {
    Save(header, text);
  } catch (...) {  // both or none
    std::error_code ignored;
    fs::remove(assembler, ignored);
    throw;
  }
  fmt::print("{} and {}: {}_blob, {} bytes\n", assembler.string(), header.string(), name,
             file.bytes());
  return kDone;
}

}  // namespace

void AddEmbed(port::CommandLine& app, std::function<int()>* run) {
  port::Options command =
      app.AddCommand("embed", "write a blob as an assembler file and a header, for firmware");
  command.Footer(
      "Link both files into the program: NAME_blob is read in place; its size and the arena size "
      "are constants. The assembler file is for GNU as and Clang of any processor (ELF).");
  auto options = std::make_shared<EmbedOptions>();
  command.Add("BLOB", options->blob, "the .octet file").Required();
  command.Add("-o,--output", options->output, "FILES: writes FILES.S and FILES.h").Required();
  command.Add("--name", options->name,
              "prefix of symbols and, in capitals, of constants (default: from FILES)");
  command.Add(
      "--plan", options->plan,
      "the only plan that the program binds (octet_config.plan_mask; default: all of them)");
  command.Add("--threads", options->threads, "number of threads that the arena has room for")
      .Range(1u, 256u)
      .ShowDefault();
  command.WhenChosen([=] { *run = [=] { return Run(*options); }; });
}

}  // namespace octet::cli
