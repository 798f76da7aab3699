// octet-slot: which model of a store runs, on the board.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>

#include "ports/linux/command_line/command_line.h"
#include "ports/linux/file.h"
#include "ports/linux/output/program.h"
#include "ports/linux/output/whole.h"
#include "ports/linux/slot/report.h"
#include "ports/linux/slot/slot_store.h"

namespace octet::port {
namespace {

struct Arguments {
  std::string store, command, file, product;
  StoreOptions options;
  bool json = false, force = false;
};

void Describe(CommandLine& app, Arguments& a) {
  app.Add("STORE", a.store, "folder, block device or file with the two slots");
  app.Add("COMMAND", a.command, "what to do")
      .Among({"list", "stage", "verify", "activate", "confirm", "roll-back", "boot", "create"});
  app.Add("FILE", a.file, "of stage: the blob, or - for stdin");
  app.Add("--key", a.options.keys,
          "public key; models signed with it are accepted, beside the store's own file key.pub; "
          "repeat it for several keys")
      .OneEach();
  app.AddFlag("--require-signature", a.options.require_signature,
              "accept only models signed with --key; the store's own key.pub is ignored, because "
              "whoever can replace the models can replace it");
  app.Add("--least-security-counter", a.options.least_counter,
          "least security counter of a model, whatever the store's records say; 0: the records "
          "alone count")
      .ShowDefault();
  app.Add("--board", a.options.board,
          "name of this board, or its file from octet boards --whitelist. Models for other boards, "
          "or with anything this board does not allow, are refused. Default: the store's own file "
          "`board`; without one, this check is skipped");
  app.Add("--tries", a.options.tries,
          "number of boots in which a model must be confirmed; 0 means 3")
      .Range(0u, 255u);
  app.AddFlag(
      "--force", a.force,
      "of create: also where a store, a model or another product's name exists; of stage and "
      "activate: also a model of another product, or with another task, inputs, outputs or "
      "labels than the running model, and a model whose ranges come from random data");
  app.Add("--product", a.product,
          "of create: name of the product whose models the store takes (octet convert --product); "
          "others are refused. Without a name any product is taken");
  app.AddFlag("--json", a.json, "print the store as JSON after the command");
  app.Footer(
      "list       show the slots, and why the last model was refused\n"
      "stage      write a model into the slot that does not run, read it back, check it\n"
      "verify     check the slots: bytes, signature, counter, board, golden vectors\n"
      "activate   put the staged model on trial, after its golden vectors\n"
      "confirm    keep the model on trial; octet-camera --slots does this by itself\n"
      "roll-back  end the trial; without a trial, return to the previous model\n"
      "boot       count a trial and print the file of the model to run\n"
      "create     make a folder or a device a store. A folder keeps its files. A device loses its\n"
      "           content; one with a store or a model needs --force. --product names the product\n"
      "Exit status: 0 done, 1 refused, 2 bad use or storage that fails, 3 internal error." +
      (KnowsSignatures() ? "" : "\nThis program was " + SignatureNote() + "."));
  app.Name("octet-slot",
           OCTET_VERSION_TEXT + (KnowsSignatures() ? "" : " (" + SignatureNote() + ")"));
}

class File {
 public:
  explicit File(const std::string& path) : path_(path == "-" ? "stdin" : path) {
    if (path == "-") return;
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      throw InputError("cannot open " + path + ": " + ErrorText(errno) + "; check the path");
    }
  }
  ~File() {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // All that fits, but at the end.
  size_t Read(void* bytes, size_t count) const {
    const size_t done = ReadWhole(descriptor_, bytes, count);
    if (done < count && errno != 0) {
      throw InputError("cannot read " + path_ + ": " + ErrorText(errno) + "; nothing was staged");
    }
    return done;
  }

 private:
  std::string path_;
  int descriptor_ = STDIN_FILENO;
};

// "slot B: "
std::string Named(octet_slot slot) {
  return std::string("slot ") + SlotName(slot) + ": ";
}

// Says one line for each slot with a model. The answer has the last fault.
SlotAnswer Verify(const Arguments& a, SlotStore* store, std::string* said) {
  const octet_slots_info info = store->Info();
  SlotAnswer fault;
  bool any = false;
  for (octet_slot slot = OCTET_SLOT_A; slot <= OCTET_SLOT_B; ++slot) {
    SlotAnswer answer;
    if (const std::string damage = store->Damage(slot); !damage.empty()) {
      answer.code = OCTET_SLOTS_BLOB;
      answer.why = a.store + ": slot " + SlotName(slot) + ": " + damage + kDamageWayOut;
    } else if (info.slots[slot].standing == OCTET_STANDING_EMPTY) {
      continue;
    } else {
      answer = store->Verify(slot);
    }
    any = true;
    if (answer) {
      *said += Named(slot) + "good; " + answer.note + "\n";
    } else if (answer.code == OCTET_SLOTS_COUNTER &&
               info.slots[slot].standing == OCTET_STANDING_CONFIRMED) {
      *said += store->WhyNotBackTo(slot) + "\n";  // what a raised counter is for: no fault
    } else {
      fault = answer;
    }
  }
  if (!any) {
    fault.code = OCTET_SLOTS_EMPTY;
    fault.why = a.store + ": no model there; stage one first: octet-slot STORE stage MODEL.octet";
  }
  if (!said->empty()) said->pop_back();
  return fault;
}

// What the command says where it is done; a refusal's line is in the answer. counted: it counted a
// boot of a trial.
SlotAnswer Do(const Arguments& a, SlotStore* store, std::string* said, bool* counted) {
  SlotAnswer answer;
  if (a.command == "stage") {
    const File file(a.file);
    answer = store->Stage([&](void* bytes, size_t count) { return file.Read(bytes, count); });
    *said = Named(store->Info().active == OCTET_SLOT_A ? OCTET_SLOT_B : OCTET_SLOT_A) + "staged";
  } else if (a.command == "verify") {
    return Verify(a, store, said);
  } else if (a.command == "activate") {
    answer = store->Activate();
    *said = Named(store->Info().pending) + "on trial from the next boot";
  } else if (a.command == "confirm") {
    answer = store->Confirm();
    *said = Named(store->Info().active) + "confirmed";
  } else if (a.command == "roll-back") {
    const octet_slots_info before = store->Info();
    const octet_slot left = before.pending == OCTET_SLOT_NONE ? before.active : before.pending;
    answer = store->RollBack(OCTET_SLOTS_ASKED);
    *said = Named(left) + "rolled back";
  } else if (a.command == "boot") {
    SlotChoice model;
    answer = store->Boot(&model);
    *said = model.path;
    *counted = model.on_trial;
  } else if (a.command == "create") {
    answer = store->Create(a.force, a.product);
    *said = a.store + ": created" + (a.product.empty() ? "" : ", product " + a.product);
  }
  if (!answer.note.empty()) *said += "; " + answer.note;
  return answer;
}

int Main(int argc, char** argv) {
  CommandLine app("Manages two models on a board: one runs, the other is new or old");
  Arguments a;
  Describe(app, a);
  if (const std::optional<int> status = app.Parse(argc, argv)) return *status;
  if (a.store.empty()) throw InputError("no STORE given; see --help");
  if (a.command.empty()) throw InputError("no COMMAND given; see --help");
  if (a.command == "stage" && a.file.empty()) {
    throw InputError("no FILE given to stage; - is stdin");
  }
  if (a.command != "stage" && !a.file.empty()) {
    throw InputError(a.command + " does not take a FILE; see --help");
  }
  if (a.force && a.command != "create" && a.command != "stage" && a.command != "activate") {
    throw InputError(a.command + " does not take --force; remove it");
  }
  if (!a.product.empty() && a.command != "create") {
    throw InputError(a.command + " does not take --product; create stores it");
  }
  a.options.any_kind = a.options.random_ranges = a.force;
  SlotStore store(a.store, a.options);
  if (a.command == "boot" && !store.is_folder()) {
    throw InputError(a.store +
                     ": boot: the model of a device is not a file; octet-camera --slots " +
                     a.store + " runs it");
  }
  std::string said;
  bool counted = false;
  const SlotAnswer answer = Do(a, &store, &said, &counted);
  if (!answer) {
    if (a.command == "verify" && !said.empty() && !a.json) std::printf("%s\n", said.c_str());
    std::fprintf(stderr, "octet-slot: %s\n", answer.why.c_str());
    const bool storage = answer.code == OCTET_SLOTS_STORAGE || answer.code == OCTET_SLOTS_VERSION;
    return storage ? 2 : 1;
  }
  if (a.json) {
    std::fputs(StoreJson(store.Info(), store).c_str(), stdout);
  } else if (a.command == "list") {
    std::fputs(StoreText(store.Info(), store).c_str(), stdout);
  } else {
    std::printf("%s\n", said.c_str());
  }
  // The caller did not get the path, so the boot is not counted.
  if (counted && !PrintedArrives()) store.TakeBack();
  return 0;
}

}  // namespace
}  // namespace octet::port

int main(int argc, char** argv) {
  return octet::port::RunProgram("octet-slot", [&] { return octet::port::Main(argc, argv); });
}
