// One camera: where its frames come from, the session that runs them, and who looks at them. A
// program without a list of cameras has one, without a name.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_CAMERA_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_CAMERA_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ports/linux/camera/program/observer.h"
#include "ports/linux/camera/program/printer.h"
#include "ports/linux/camera/program/settings.h"
#include "ports/linux/camera/program/tally.h"
#include "ports/linux/capture/mailbox.h"
#include "ports/linux/model.h"

namespace octet::port {

class Camera {
 public:
  // settings: of the program, as they are at each call; the camera is the one at `index`. bell:
  // rings for its frames. All of them outlive it.
  Camera(const CameraSettings& settings, size_t index, std::unique_ptr<Source> source,
         Program& program, Bell* bell);

  const CameraOptions& options() const { return settings_.cameras()[index_].options; }
  Shared& shared() { return shared_; }
  Mailbox& mailbox() { return mailbox_; }
  const Tally& tally() const { return tally_; }
  const Model* model() const { return model_.get(); }
  size_t index() const { return index_; }
  const octet_session* session() const { return model_->session(); }
  // Of a source that is opened again when it ends; else null.
  const SourceHealth* health() const { return health_.get(); }
  // It has ended, or is known to be lost for now.
  bool is_away() const {
    return mailbox_.state() == Mailbox::State::kEnd || (health_ != nullptr && health_->away);
  }
  bool is_misfit() const { return is_misfit_; }

  // Before the first model, in the order of features.
  void Add(std::unique_ptr<Observer> own);
  void Add(Observer* of_all);

  // Frames go into the mailbox, from a thread that calls `begin` first, until Leave.
  void StartCapture(const std::function<void()>& begin);
  void Leave();

  // How a model of it is made; pool: as ModelOptions has it.
  ModelOptions WantedOptions(std::shared_ptr<ThreadPool> pool = nullptr);
  // From now on this one runs. path: of its blob. Throws InputError.
  void Put(std::unique_ptr<Model> model, const std::string& path);
  void Unload();
  // plans: that sessions of other cameras run.
  void Trim(uint32_t plans) { model_->Trim(plans); }
  Loaded Now(const std::string& path) { return {*model_, path, options()}; }
  void Start(const std::string& path);
  void Finish(bool clean);

  // Runs the frame and emits what was found. begun_ns: when the loop took it. model_changed: since
  // then. False if the reader of the results has gone. Throws InputError.
  bool Process(const FrameBuffer& frame, uint64_t begun_ns, bool model_changed);
  // The frame ran, and was not passed over.
  bool has_run() const { return has_run_; }
  // changes: of the model, and how long the longest took.
  void Summarise(uint64_t elapsed_ns, const Changes& changes);
  // Why it gave no frames; empty: it did.
  std::string Problem(bool interrupted) const;

 private:
  bool Run(const FrameBuffer& frame, uint64_t begun_ns, bool model_changed);
  void SetInput(const FrameBuffer& frame);
  void ResetBehindGap(const FrameBuffer& frame);
  void Count(const FrameBuffer& frame, uint64_t begun, uint64_t done);
  bool Emit(Outcome* outcome);

  const CameraSettings& settings_;
  const size_t index_;
  std::unique_ptr<Source> source_;
  const std::shared_ptr<const SourceHealth> health_;
  Program& program_;
  Shared shared_;
  Mailbox mailbox_;
  std::thread capture_;
  std::unique_ptr<Model> model_;  // its blob and threads are those of all
  std::optional<ResultReader> results_;
  std::vector<std::unique_ptr<Observer>> owned_;
  std::vector<Observer*> observers_;  // owned_, and those of all cameras
  Printer printer_;
  bool wants_json_ = false, has_run_ = false;
  bool is_misfit_ = false;    // the model takes no such frames
  uint64_t captured_ns_ = 0;  // of the last frame that was run; 0: none
  Tally tally_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_CAMERA_H_
