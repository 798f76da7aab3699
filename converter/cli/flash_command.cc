// octet flash: a blob into the slot that does not run, here or on a board, and on trial there.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "converter/blobs/blob_file.h"
#include "converter/cli/commands.h"
#include "converter/cli/remote.h"
#include "converter/support/error.h"
#include "ports/linux/file.h"
#include "ports/linux/slot/slot_store.h"
#include "ports/linux/whitelist.h"
#include "runtime/format/optional_features.h"
#include "runtime/format/signature.h"

namespace octet::cli {
namespace {

struct FlashOptions {
  std::string blob, target, program = "octet-slot";
  port::StoreOptions store;
  bool stage_only = false, force = false;
};

// Before anything is sent: the board decides, but what is wrong here needs no journey.
void CheckSignature(const blobs::BlobFile& file, const FlashOptions& options) {
  if (options.store.keys.empty()) return;
  std::vector<port::PublicKey> keys;
  for (const std::string& key : options.store.keys) keys.push_back(port::ReadPublicKey(key));
  BlobView view{};
  if (!IsOk(ViewSections(file.data(), file.bytes(), &view))) {
    throw std::logic_error("verified blob has no view");
  }
  const blob::SignatureRecord* record = FindSignature(view);
  if (record == nullptr) Fail("{}: no signature; sign it first: octet sign", options.blob);
  const SignedMessage message = MessageOf(view.header);
  if (port::VerifySignature(&keys, record->key_id, record->signature,
                            reinterpret_cast<const uint8_t*>(&message), sizeof(message)) != 1) {
    Fail(
        "{}: signed with key {}, not with the key of --key; sign it with that key (octet sign "
        "--key FILE), or give the other one",
        options.blob, port::KeyIdText(record->key_id));
  }
}

void CheckRanges(const blobs::BlobFile& file, const FlashOptions& options) {
  if (options.force || !blob::HasRandomRanges(*blobs::ViewOf(file).header)) return;
  Fail(
      "{}: its ranges come from random data (--random-calibration), not from real inputs; convert "
      "the model with --calibrate PICTURES, or add --force",
      options.blob);
}

// The same of what the board allows, where that is known here.
void CheckBoard(const blobs::BlobFile& file, const FlashOptions& options) {
  if (options.store.board.empty()) return;
  const octet_board board = port::ReadWhitelist(options.store.board);
  const std::string why = port::WhyNotOn(board, file.data(), file.bytes(), 0);
  if (!why.empty()) Fail("{}: {}", options.blob, why);
}

int Refused(const port::SlotAnswer& answer) {
  fmt::print(stderr, "octet: {}\n", answer.why);
  return answer.code == OCTET_SLOTS_STORAGE || answer.code == OCTET_SLOTS_VERSION ? kBadInput
                                                                                  : kAnswerIsNo;
}

std::string DigestOf(const blobs::BlobFile& file) {
  std::string digest;
  for (const uint8_t byte : blobs::ViewOf(file).header->sha256) {
    digest += fmt::format("{:02x}", byte);
  }
  return digest;
}

int FlashHere(const blobs::BlobFile& file, const FlashOptions& options) {
  port::StoreOptions store_options = options.store;
  store_options.any_kind = store_options.random_ranges = options.force;
  port::SlotStore store(options.target, store_options);
  size_t done = 0;
  const port::SlotAnswer staged = store.Stage([&](void* bytes, size_t count) {
    const size_t step = std::min(count, file.bytes() - done);
    std::memcpy(bytes, file.data() + done, step);
    done += step;
    return step;
  });
  if (!staged) return Refused(staged);
  if (options.stage_only) {
    fmt::print("{}: {} bytes staged; start the trial: octet-slot {} activate\n", options.target,
               file.bytes(), options.target);
    return kDone;
  }
  const port::SlotAnswer active = store.Activate();
  if (!active) return Refused(active);
  fmt::print("{}: slot {}: {} bytes, on trial from the next boot; digest {}; {}\n", options.target,
             port::SlotName(store.Info().pending), file.bytes(), DigestOf(file), active.note);
  return kDone;
}

// What the board said beside its answer, for a message: the end of it, on one line.
std::string LastWords(std::string text) {
  constexpr size_t kMost = 200;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kMost ? text.substr(text.size() - kMost) : text;
}

// One step on the board. Done is what the board's own line says, with the slot and this digest: a
// login shell that ends first, a forced command and an expired password all end with status 0.
// Returns the slot; empty: the program there refused, and `status` is its own.
std::string StepThere(const RemoteTarget& remote, const std::vector<std::string>& words,
                      std::span<const uint8_t> input, RemoteStep step, const std::string& digest,
                      int* status) {
  const RemoteAnswer answer = RunRemote(remote.host, words, input);
  *status = answer.status;
  if (answer.status != kDone) return "";
  const RemoteSlot slot = ReadRemoteSlot(answer.out, step);
  if (slot.digest == digest) return slot.name;
  const bool staged = step == RemoteStep::kStaged;
  if (!slot.name.empty()) {
    Fail("ssh {}: slot {} has {} another model, of digest {}; flash again", remote.host, slot.name,
         staged ? "staged" : "on trial", slot.digest);
  }
  const std::string said = LastWords(answer.out);
  Fail(
      "ssh {}: ended with status 0, but {} did not say that the model is {}, so nothing is known "
      "to be done{}; check with `ssh {} {} {} list` that commands run there (.bashrc, a forced "
      "command, an expired password)",
      remote.host, words[0], staged ? "staged" : "on trial",
      said.empty() ? "" : ": \"" + said + "\" came instead", remote.host, words[0], words[1]);
}

int FlashThere(const blobs::BlobFile& file, const FlashOptions& options) {
  const RemoteTarget remote = ParseRemote(options.target);
  const std::string digest = DigestOf(file);
  // The board asks for them as well, whatever its store asks for by itself.
  std::vector<std::string> asked = {"--json"};
  for (const std::string& path : options.store.keys) {
    std::string key = port::PublicKeyText(port::ReadPublicKey(path));
    key.pop_back();  // the line's end
    asked.insert(asked.end(), {"--key", key});
  }
  if (!options.store.board.empty()) {
    // Its name: the list is a file of this machine, and has been looked at.
    asked.insert(asked.end(), {"--board", port::ReadWhitelist(options.store.board).compatible});
  }
  if (options.force) asked.emplace_back("--force");
  const auto words = [&](std::vector<std::string> step) {
    step.insert(step.begin(), {options.program, remote.folder});
    step.insert(step.end(), asked.begin(), asked.end());
    return step;
  };
  int status = kDone;
  std::string slot = StepThere(remote, words({"stage", "-"}), {file.data(), file.bytes()},
                               RemoteStep::kStaged, digest, &status);
  if (status != kDone) return status;
  if (!options.stage_only) {
    slot = StepThere(remote, words({"activate"}), {}, RemoteStep::kOnTrial, digest, &status);
    if (status != kDone) return status;
  }
  fmt::print("{}: slot {}: {} bytes, {}; digest {}\n", options.target, slot, file.bytes(),
             options.stage_only ? "staged" : "on trial from the next boot", digest);
  return kDone;
}

int Flash(const FlashOptions& options) {
  const blobs::BlobFile file(options.blob);
  CheckRanges(file, options);
  try {
    CheckSignature(file, options);
    CheckBoard(file, options);
    return IsRemote(options.target) ? FlashThere(file, options) : FlashHere(file, options);
  } catch (const port::InputError& error) {
    Fail("{}", error.what());
  }
}

}  // namespace

void AddFlash(port::CommandLine& app, std::function<int()>* run) {
  port::Options command =
      app.AddCommand("flash", "write a blob into the slot that does not run, and put it on trial");
  auto options = std::make_shared<FlashOptions>();
  command.Add("BLOB", options->blob, "the .octet file").Required();
  command
      .Add("TARGET", options->target,
           "a folder, block device or file with two slots (docs/flashing.md), or "
           "user@board:[FOLDER], which runs octet-slot there by ssh")
      .Required();
  command
      .Add("--key", options->store.keys, "public key; the blob must be signed with its secret half")
      .OneEach();
  command.Add("--board", options->store.board,
              "name of the board, or its file from octet boards --whitelist");
  command.AddFlag("--stage-only", options->stage_only,
                  "write and check only; the running model does not change");
  command.AddFlag(
      "--force", options->force,
      "also a model whose ranges come from random data (octet convert "
      "--random-calibration), of another product, or with another task, inputs, outputs or "
      "labels than the one that runs");
  command.Add("--program", options->program, "path of octet-slot on the board").ShowDefault();
  command.WhenChosen([=] { *run = [=] { return Flash(*options); }; });
}

}  // namespace octet::cli
