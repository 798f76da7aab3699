// --slots as a feature of the camera.
#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/slots/check.h"
#include "ports/linux/camera/program/slots/slots.h"
#include "ports/linux/whitelist.h"

namespace octet::port {
namespace {

CheckSettings DescribeSlots(CommandLine& app, CameraOptions& o) {
  auto& slots = o.features.Get<SlotsOptions>();
  app.Add("--slots", slots.store,
          "run the model of this store of two slots (folder or device, docs/flashing.md) instead "
          "of MODEL; switches to a new model when the store has one");
  app.Add("--key", slots.access.keys,
          "of --slots: public key; models signed with it are accepted, beside the store's own key")
      .OneEach()
      .Needs("--slots", "; octet-slot and octet flash check signatures of files");
  app.AddFlag("--require-signature", slots.access.require_signature,
              "of --slots: accept only models signed with --key; the store's own key.pub is "
              "ignored, because whoever can replace the models can replace it")
      .Needs("--slots");
  app.Add(
         "--least-security-counter", slots.access.least_counter,
         "of --slots: least security counter of a model, whatever the store's records say, because "
         "whoever can replace the models can replace these; 0: the records alone count")
      .ShowDefault()
      .Needs("--slots");
  app.Add("--confirm-after", slots.confirm_after,
          "of --slots: number of good frames that confirm a model on trial")
      .Range(1u, 1000000000u)
      .ShowDefault()
      .Needs("--slots", "; a model from a file is not on trial");
  app.Add("--trial-frames", slots.comparison.frames,
          "of --slots: number of frames on which a model on trial is compared with the previous "
          "model; 0: no comparison")
      .Range(0u, 64u)
      .ShowDefault()
      .Needs("--slots");
  app.Add("--trial-agreement", slots.comparison.least_agreement,
          "of --slots: least agreement with the previous model over --trial-frames, per mille; a "
          "model on trial below it is rolled back")
      .Range(0u, 1000u)
      .ShowDefault()
      .Needs("--slots");
  app.Add("--board", slots.access.board,
          std::string(kBoardHelp) + " (of --slots: default the store's own file `board`)");
  return [&o, &slots] {
    if (!slots.store.empty()) o.models_of = "--slots";
    if (!slots.access.board.empty()) o.board = ReadWhitelist(slots.access.board);
  };
}

std::unique_ptr<ModelSource> MakeSlots(const CameraOptions& options, Program& program) {
  const auto& slots = options.features.Get<SlotsOptions>();
  if (slots.store.empty()) return nullptr;
  return std::make_unique<CameraSlots>(slots.store, slots.access, slots.confirm_after,
                                       slots.comparison, program);
}

}  // namespace

Feature SlotsFeature() {
  return {.describe = DescribeSlots,
          .make_models = MakeSlots,
          .check = CheckSlots,
          .record = RecordOfSlots,
          .add_program_metrics = [](Metrics* metrics) { metrics->Numbers<SlotNumbers>(); }};
}

}  // namespace octet::port
