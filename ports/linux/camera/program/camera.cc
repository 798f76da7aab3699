#include "ports/linux/camera/program/camera.h"

#include <algorithm>
#include <utility>

#include "octet/state.h"
#include "ports/linux/wall_clock.h"

namespace octet::port {
namespace {

constexpr uint64_t kSettledFrames = 1000;  // the summary compares memory with that after this many

}  // namespace

Camera::Camera(const CameraSettings& settings, size_t index, std::unique_ptr<Source> source,
               Program& program, Bell* bell)
    : settings_(settings),
      index_(index),
      source_(std::move(source)),
      health_(source_->health()),
      program_(program),
      shared_(program, settings.cameras()[index].name, options().every_frame || source_->waits()),
      mailbox_(bell),
      printer_(shared_.name, *program.emitter, program.stop, observers_) {
  if (health_ != nullptr) shared_.metrics.SetSource(health_);
}

void Camera::Add(std::unique_ptr<Observer> own) {
  Add(own.get());
  owned_.push_back(std::move(own));
}

void Camera::Add(Observer* observer) {
  wants_json_ = wants_json_ || observer->WantsJson();
  observers_.push_back(observer);
}

void Camera::StartCapture(const std::function<void()>& begin) {
  capture_ = std::thread([this, begin, every_frame = options().every_frame] {
    begin();
    Capture(source_.get(), &mailbox_, program_.stop, every_frame);
  });
}

void Camera::Leave() {
  mailbox_.Leave();
  if (capture_.joinable()) capture_.join();
}

ModelOptions Camera::WantedOptions(std::shared_ptr<ThreadPool> pool) {
  ModelOptions wanted = options().model;
  wanted.pool = std::move(pool);
  if (wanted.all_plans) {
    wanted.before_layer = LayerHook::BeforeLayer;
    wanted.before_layer_context = &shared_.hook;
  }
  return wanted;
}

void Camera::Put(std::unique_ptr<Model> model, const std::string& path) {
  model_ = std::move(model);
  model_->Bind(Model::Unused::kKept);
  float least_score = kNoWeakBoxes;
  for (const Observer* observer : observers_) {
    least_score = std::min(least_score, observer->LeastScore());
  }
  results_.emplace(*model_, least_score);
  for (const auto& observer : owned_) observer->Load(Now(path));
  program_.emitter->Reserve(results_->LineBytes());
  printer_.Reserve(results_->LineBytes());
}

void Camera::Unload() {
  if (model_ == nullptr) return;
  for (const auto& observer : owned_) observer->Unload();
  results_.reset();
  model_.reset();
}

void Camera::Start(const std::string& path) {
  for (const auto& observer : owned_) observer->Start(Now(path));
}

void Camera::Finish(bool clean) {
  for (const auto& observer : owned_) observer->Finish(clean);
}

bool Camera::Process(const FrameBuffer& frame, uint64_t begun_ns, bool model_changed) {
  has_run_ = false;
  shared_.metrics.SetFrameTime(frame.captured_ns);
  Wish wish = Wish::kRun;
  for (Observer* observer : observers_) wish = std::max(wish, observer->Wants(frame));
  if (wish == Wish::kSkip) shared_.metrics.CountSkipped();
  if (wish == Wish::kStill) program_.service.Alive(NowNs());  // this is all there was to do
  if (wish != Wish::kRun) return true;
  has_run_ = true;
  return Run(frame, begun_ns, model_changed);
}

bool Camera::Run(const FrameBuffer& frame, uint64_t taken, bool model_changed) {
  octet_session* const session = model_->session();
  const uint64_t begun = NowNs();
  SetInput(frame);
  ResetBehindGap(frame);
  octet_run(session);  // cannot fail: no hook of ours stops it
  for (Observer* observer : observers_) observer->AfterRun(session);
  Results& results = results_->Read(session, frame.width, frame.height);
  for (Observer* observer : observers_) observer->Track(frame, &results);
  const uint64_t done = NowNs();
  Count(frame, begun, done);
  Outcome outcome{.frame = frame,
                  .results = results,
                  .session = session,
                  .begun_ns = begun,
                  .done_ns = done,
                  .processed = tally_.processed,
                  .dropped = mailbox_.dropped(),
                  .lines_dropped = program_.emitter->dropped(),
                  .camera = index_,
                  .shown = options().shows_page};
  const bool read = Emit(&outcome);
  // Last, because their own runs take time and change the tensors.
  for (Observer* observer : observers_) observer->Judge(outcome, &outcome.verdict);
  for (Observer* observer : observers_) observer->AfterFrame(outcome);
  const uint64_t now = NowNs();
  const uint64_t pause_ns = (begun - taken) + (now - done);
  if (!model_changed) tally_.longest_pause_ns = std::max(tally_.longest_pause_ns, pause_ns);
  return read;
}

void Camera::SetInput(const FrameBuffer& frame) {
  const octet_frame view = frame.View();
  const octet_status set = octet_set_input_frame(model_->session(), 0, &view);
  if (set.code == OCTET_OK) return;
  is_misfit_ = true;
  throw InputError(std::string("a frame of ") + std::to_string(frame.width) + "x" +
                   std::to_string(frame.height) + " does not fit the model: " +
                   octet_code_name(set.code) + "; send larger or smaller frames");
}

// States say what was seen last; behind a gap that is something else.
void Camera::ResetBehindGap(const FrameBuffer& frame) {
  const uint64_t gap_ns = uint64_t{options().state_gap_ms} * 1000000;
  const uint64_t before_ns = std::exchange(captured_ns_, frame.captured_ns);
  if (gap_ns == 0 || frame.captured_ns <= before_ns || frame.captured_ns - before_ns <= gap_ns) {
    return;
  }
  if (octet_state_count(model_->session()) != 0) octet_reset(model_->session());
}

void Camera::Count(const FrameBuffer& frame, uint64_t begun, uint64_t done) {
  ++tally_.processed;
  tally_.inference.Add(done - begun);
  tally_.age.Add(done - frame.captured_ns);
  program_.service.Alive(done);
  if (tally_.processed == kSettledFrames) tally_.settled_rss_bytes = ResidentBytes();
}

bool Camera::Emit(Outcome* outcome) {
  const FrameBuffer& frame = outcome->frame;
  const FrameReport report = {frame.number,
                              WallSecondsAt(frame.captured_ns),
                              static_cast<double>(outcome->done_ns - frame.captured_ns) / 1e6,
                              static_cast<double>(outcome->run_ns()) / 1e6,
                              octet_plan_name(outcome->session, octet_plan(outcome->session)),
                              outcome->dropped,
                              frame.name.c_str(),
                              shared_.name.c_str()};
  const CameraOptions& own = options();
  const bool prints_json = own.json && own.writes_lines;
  if (prints_json || wants_json_) outcome->json = &printer_.Json(report, *outcome);
  for (Observer* observer : observers_) observer->Result(*outcome);
  return !own.writes_lines || printer_.Print(report, *outcome, own.json);
}

void Camera::Summarise(uint64_t elapsed_ns, const Changes& changes) {
  if (!options().json && tally_.processed == 0) return;
  printer_.Summarise(elapsed_ns, tally_,
                     {mailbox_.published(), mailbox_.dropped(), mailbox_.longest_gap_ns()},
                     options().json, changes);
}

std::string Camera::Problem(bool interrupted) const {
  std::string problem = mailbox_.error();
  if (problem.empty() && !interrupted && mailbox_.published() == 0) {
    problem = "the source ended before its first frame; check that its sender runs";
  }
  return problem.empty() || shared_.name.empty() ? problem : shared_.name + ": " + problem;
}

}  // namespace octet::port
