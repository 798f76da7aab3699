// --slots and what goes with it.
#include "ports/linux/board.h"
#include "ports/linux/camera/program/observers.h"

namespace octet::port {

CheckSettings DescribeSlots(CommandLine& app, CameraOptions& o) {
  app.Add("--slots", o.slots,
          "run the model of this store of two slots (folder or device, docs/flashing.md) instead "
          "of MODEL; switches to a new model when the store has one");
  app.Add("--key", o.store.keys,
          "of --slots: public key; models signed with it are accepted, beside the store's own key")
      .OneEach()
      .Needs("--slots", "; octet-slot and octet flash check signatures of files");
  app.AddFlag("--require-signature", o.store.require_signature,
              "of --slots: accept only models signed with --key; the store's own key.pub is "
              "ignored, because whoever can replace the models can replace it")
      .Needs("--slots");
  app.Add(
         "--least-security-counter", o.store.least_counter,
         "of --slots: least security counter of a model, whatever the store's records say, because "
         "whoever can replace the models can replace these; 0: the records alone count")
      .ShowDefault()
      .Needs("--slots");
  app.Add("--confirm-after", o.confirm_after,
          "of --slots: number of good frames that confirm a model on trial")
      .Range(1u, 1000000000u)
      .ShowDefault()
      .Needs("--slots", "; a model from a file is not on trial");
  app.Add("--trial-frames", o.comparison.frames,
          "of --slots: number of frames on which a model on trial is compared with the previous "
          "model; 0: no comparison")
      .Range(0u, 64u)
      .ShowDefault()
      .Needs("--slots");
  app.Add("--trial-agreement", o.comparison.least_agreement,
          "of --slots: least agreement with the previous model over --trial-frames, per mille; a "
          "model on trial below it is rolled back")
      .Range(0u, 1000u)
      .ShowDefault()
      .Needs("--slots");
  app.Add("--board", o.store.board,
          std::string(kBoardHelp) + " (of --slots: default the store's own file `board`)");
  return [&o] {
    if (!o.store.board.empty()) o.board = ReadBoard(o.store.board);
  };
}

std::unique_ptr<Observer> MakeSlots(const CameraOptions& options, Shared& shared) {
  if (options.slots.empty()) return nullptr;
  return std::make_unique<CameraSlots>(options.slots, options.store, options.confirm_after,
                                       options.comparison, shared);
}

}  // namespace octet::port
