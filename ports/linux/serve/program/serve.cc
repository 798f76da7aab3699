#include "ports/linux/serve/program/serve.h"

#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>

#include "ports/linux/camera/program/service.h"
#include "ports/linux/capture/stop.h"
#include "ports/linux/serve/store/follower.h"
#include "ports/linux/serve/web/site.h"
#include "ports/linux/serve/zmq/server.h"

namespace octet::port::serve {
namespace {

constexpr uint64_t kPatienceNs = 5'000'000'000;  // of a request that waits for a worker
constexpr uint64_t kRoundNs = 250'000'000;
// A request that runs longer, or a thread that is silent longer, hangs: systemd starts us again.
constexpr uint64_t kHangNs = 20'000'000'000;

void Say(const std::string& line) {
  if (!line.empty()) std::fprintf(stderr, "octet-serve: %s\n", line.c_str());
}

// Connections are descriptors: as many as the system allows without asking.
void RaiseDescriptors() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);  // refused: the limit stays as it is
}

std::shared_ptr<Served> Load(const ServeOptions& o, const std::string& path) {
  auto served = std::make_shared<Served>(path, !o.store.empty(), o.workers);
  if (o.label_map) served->SetLabelMap(*o.label_map);
  // By ZeroMQ alone nobody could learn it: every answer would be zeros.
  const std::string why = WhyNoBoxes(served->facts());
  if (!o.http && !why.empty()) throw InputError(path + ": " + why);
  return served;
}

}  // namespace

int Serve(const ServeOptions& o) {
  StopRequest stop;
  stop.ObeySignals();
  RaiseDescriptors();
  std::optional<StoreFollower> store;
  std::shared_ptr<Served> first;
  const auto load = [&o](const std::string& path) { return Load(o, path); };
  if (o.store.empty()) {
    first = load(o.model);
  } else {
    store.emplace(o.store, o.access, o.confirm_after, load, Say);
    first = store->served();
  }
  Numbers numbers;
  FairQueue queue(o.waiting, kPatienceNs);
  std::atomic<uint64_t> model_changes{0};
  Workers workers(first, o.workers, &queue);
  first.reset();
  const Context context = {&queue, &workers, &numbers};
  std::atomic<size_t> connections{0};
  ServeSite site(context, o.token, o.http && o.http->IsLoopback(), [&] {
    return Numbers::Now{queue.size(), connections.load(), o.workers, ResidentBytes(),
                        model_changes.load()};
  });
  std::optional<WebServer> web;
  std::optional<ZmqServer> zmq;
  if (o.http) {
    web.emplace("--http " + o.http->Text(), *o.http, &site, WebLimits{});
    Say("http://" + web->address().Text());
  }
  if (!o.endpoints.empty()) {
    zmq.emplace(o.endpoints, o.peers, o.pixels, context);
    for (const std::string& endpoint : zmq->endpoints()) Say(endpoint);
  }
  Service service;
  for (uint64_t now = NowNs(); SleepUntil(now + kRoundNs, stop);) {
    now = NowNs();
    queue.Sweep(now);
    workers.served()->sequences().Expire(now);
    if (web) {
      web->Sweep(now);
      connections = web->connections();
    }
    if (store && store->Follow(now)) {
      workers.Serve(store->served());
      ++model_changes;
    }
    const bool well =
        workers.LongestRun(now) < kHangNs && (!zmq || now < zmq->last_round_ns() + kHangNs);
    if (well) service.Alive(now);
  }
  service.Stopping();
  if (web) web->Quiesce();
  workers.Stop();
  if (store) store->Finish();
  return 0;
}

}  // namespace octet::port::serve
