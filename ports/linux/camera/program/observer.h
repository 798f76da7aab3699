// What looks at frames, results or the model beside the loop, which knows it by this interface
// alone: the loop captures, runs and emits. No observer depends on the others or on their order in
// observers.inc: what one of them changes and others see has a call of its own, and the loop makes
// each call for all observers before the next one. The order is that of options, fields and lines.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/octet.h"
#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/helper.h"
#include "ports/linux/camera/program/layer_hook.h"
#include "ports/linux/camera/program/options.h"
#include "ports/linux/camera/program/service.h"
#include "ports/linux/camera/program/thermometer.h"
#include "ports/linux/capture/frame.h"
#include "ports/linux/capture/stop.h"
#include "ports/linux/metrics/metrics.h"
#include "ports/linux/model.h"
#include "ports/linux/results/results.h"
#include "ports/linux/results/text.h"

namespace octet::port {

// observers.h
CameraMetrics& AddCameraMetrics(const std::string& name, Metrics* metrics);

// What all cameras share. Outlives their observers.
struct Program {
  Program(const StopRequest& stop_request, const std::string& thermal_root, bool sources_wait,
          const std::function<void()>& begin_thread)
      : stop(stop_request),
        begin(begin_thread),
        waits(sources_wait),
        thermometer(thermal_root, &metrics, begin_thread),
        storage(begin_thread) {}
  const StopRequest& stop;
  std::function<void()> begin;  // the first that a thread calls: it shares no processor by force
  bool waits;                   // all sources wait for the loop
  Metrics metrics;
  Thermometer thermometer;
  Helper storage;
  Service service;
  Emitter* emitter = nullptr;  // set before there is an observer
  FeatureValues features;      // what those of all cameras share
  bool on_trial = false;       // the model is: every frame counts, a still one too
};

// What the observers of one camera share. Outlives them.
struct Shared {
  Shared(Program& all, const std::string& camera_name, bool source_waits)
      : program(all),
        name(camera_name),
        waits(source_waits),
        metrics(AddCameraMetrics(camera_name, &all.metrics)) {}
  Program& program;
  const std::string name;  // of the camera; empty: there is no list
  const bool waits;        // its source waits for the loop: there is always time
  LayerHook hook;
  CameraMetrics& metrics;
  // Of this camera.
  void Say(std::string_view news) const;
};

// A model that was bound, of one camera. For all cameras it is that of the first. options: those it
// was loaded with, for as long as the call takes.
struct Loaded {
  Model& model;
  const std::string& path;
  const CameraOptions& options;
};

// Of a frame, by the observers that judge it.
struct Verdict {
  bool calm = true;    // false: a breaker counts bad frames
  bool stuck = false;  // true: there is no better plan
};

// What an observer wants of a frame. Of several answers the last one here counts, so that each
// frame is counted once.
enum class Wish : uint8_t {
  kRun,
  kSkip,   // the rate is lowered
  kStill,  // there is nothing to find in it
};

// One frame with its result.
struct Outcome {
  const FrameBuffer& frame;
  const Results& results;
  octet_session* session;
  uint64_t begun_ns, done_ns;
  uint64_t run_ns() const { return done_ns - begun_ns; }
  uint64_t processed, dropped, lines_dropped;  // so far
  const Line* json = nullptr;                  // if JSON is wanted
  Verdict verdict = {};                        // from AfterFrame on
  size_t camera = 0;                           // by its place in the list
  bool shown = true;                           // its page is wanted (--outputs)
};

// Of one camera, or of all. That of all sees the frames of each, but a model is loaded, started and
// ended once for all.
class Observer {
 public:
  Observer() = default;
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // A model was bound, or goes. Load throws InputError where the observer cannot work with it.
  virtual void Load(const Loaded&) {}
  virtual void Unload() {}
  // Once, after the first Load: threads and servers begin. Throws InputError.
  virtual void Start(const Loaded&) {}
  // Each is asked of each frame.
  virtual Wish Wants(const FrameBuffer&) { return Wish::kRun; }
  // The layers have run; nothing is decoded yet. Runs no model.
  virtual void AfterRun(octet_session*) {}
  // The least score of the boxes that it looks at, where that is below the blob's threshold.
  virtual float LeastScore() const { return kNoWeakBoxes; }
  // What was found is decoded. Changes nothing but the ids and lines of the results.
  virtual void Track(const FrameBuffer&, Results*) {}
  // A result stands and is not yet emitted. Must be quick.
  virtual void Result(const Outcome&) {}
  virtual bool WantsJson() const { return false; }
  // Of a frame's line (,"name":value), and of the line that people see each second.
  virtual void AddFields(uint64_t, Line*) {}
  virtual void AddStatus(Line*) {}
  // The result is on its way. Says what is wrong with the frame, and nothing of what is right. May
  // run the model again. There is one observer that does, so that its tensors are this frame's.
  virtual void Judge(const Outcome&, Verdict*) {}
  // All have judged. May run the model again: the tensors may be those of another run.
  virtual void AfterFrame(const Outcome&) {}
  // clean: a stop or the end of the stream, no fault of the model.
  virtual void Finish(bool) {}
  // Of the summary: ,"name":value,... and "; words".
  virtual void AddSummary(uint64_t, Line*) {}
  virtual void AddSummaryText(Line*) {}
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVER_H_
