// --http: a page to look at.
#include <optional>
#include <string>
#include <vector>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/page/page.h"

namespace octet::port {
namespace {

class PageObserver final : public Observer {
 public:
  PageObserver(uint16_t port, Program& program) : port_(port), program_(program) {}

  void Start(const Loaded& loaded) override {
    std::vector<std::string> names;
    for (size_t i = 0; i < program_.metrics.camera_count(); ++i) {
      names.push_back(program_.metrics.camera(i).name());
    }
    page_.emplace(port_, names, loaded.model.session(), program_.stop, program_.begin);
    program_.emitter->Say("http://" + page_->address().Text());
  }
  void Load(const Loaded& loaded) override {
    if (page_) page_->SetSession(loaded.model.session());
  }
  void Unload() override {
    if (page_) page_->SetSession(nullptr);
  }
  bool WantsJson() const override { return true; }
  void Result(const Outcome& outcome) override {
    if (!outcome.shown) return;
    page_->SetStatus(outcome.camera, *outcome.json, outcome.done_ns);
    page_->Show(outcome.camera, outcome.frame, outcome.results);
  }

 private:
  const uint16_t port_;
  Program& program_;
  std::optional<Page> page_;
};

struct PageOptions {
  int port = -1;  // none
};

CheckSettings DescribePage(CommandLine& app, CameraOptions& o) {
  app.Add("--http", o.features.Get<PageOptions>().port,
          "serve pictures with boxes on http://127.0.0.1:PORT (0: a free port)")
      .Range(0, 65535);
  return [] {};
}

std::unique_ptr<Observer> MakePage(const CameraOptions& options, Program& program) {
  const int port = options.features.Get<PageOptions>().port;
  if (port < 0) return nullptr;
  return std::make_unique<PageObserver>(static_cast<uint16_t>(port), program);
}

void CheckPage(const CameraOptions& options, Checked* checked) {
  const int port = options.features.Get<PageOptions>().port;
  if (port < 0) return;
  checked->Add(Checked::kPorts,
               PortFinding("--http", http::LoopbackAt(static_cast<uint16_t>(port))));
}

}  // namespace

Feature PageFeature() {
  return {.describe = DescribePage, .make_for_all = MakePage, .check = CheckPage};
}

}  // namespace octet::port
