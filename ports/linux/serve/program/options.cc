#include "ports/linux/serve/program/options.h"

#include <sched.h>

#include <algorithm>

#include "ports/linux/command_line/command_line.h"

namespace octet::port::serve {
namespace {

// As they stand on the command line.
struct Words {
  std::string http, labels_map, token, colour = "rgb", floats = "1";
  std::vector<std::string> zmq, peers;
};

// Processors that this program may use.
uint32_t Processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return static_cast<uint32_t>(std::clamp(CPU_COUNT(&set), 1, 256));
}

void Describe(CommandLine& app, ServeOptions& o, Words& w) {
  app.Name("octet-serve", OCTET_VERSION_TEXT);
  app.Add("MODEL", o.model, "blob made by octet convert");
  app.Add("--http", w.http,
          "[ADDRESS:]PORT: serve DeepStack's form of requests, the Open Inference Protocol v2, "
          "/v1/status and /metrics; an address that others reach needs --token");
  app.Add("--zmq", w.zmq,
          "tcp://ADDRESS:PORT or ipc://PATH: serve Frigate's zmq detector; repeat it for several; "
          "an address that others reach needs --zmq-peers (default, without --http: " +
              std::string(kDefaultEndpoint) + ")")
      .OneEach();
  app.Add("--zmq-peers", w.peers,
          "addresses (or networks, 192.168.1.0/24) whose programs may use --zmq, beside this "
          "machine's own")
      .Delimiter(',')
      .Needs("--zmq");
  app.Add("--zmq-colour", w.colour, "order of colours in pictures by --zmq")
      .Among({"rgb", "bgr"})
      .ShowDefault();
  app.Add("--zmq-floats", w.floats, "the largest value of a float32 picture by --zmq")
      .Among({"1", "255"})
      .ShowDefault();
  app.Add("--labels-map", w.labels_map,
          "the caller's label map: lines of INDEX NAME, or of NAME, as Frigate's labelmap_path; "
          "OURS = THEIRS renames a class; boxes of classes that it lacks are skipped");
  app.Add("--token", w.token,
          "file whose first line is the secret that requests by HTTP carry: as api_key, or as "
          "Authorization: Bearer");
  app.Add("--slots", o.store,
          "serve the model of this store of two slots (folder or device, docs/flashing.md) instead "
          "of MODEL; switches to a new model when the store has one");
  app.Add("--key", o.access.keys,
          "of --slots: public key; models signed with it are accepted, beside the store's own key")
      .OneEach()
      .Needs("--slots");
  app.AddFlag("--require-signature", o.access.require_signature,
              "of --slots: accept only models signed with --key")
      .Needs("--slots");
  app.Add("--confirm-after", o.confirm_after,
          "of --slots: number of good answers that confirm a model on trial")
      .Range(1u, 1000000000u)
      .ShowDefault()
      .Needs("--slots");
  app.Add("--threads", o.workers,
          "number of requests that run at a time, each on a thread (default: the number of "
          "processors)")
      .Range(1u, 256u);
  app.Add("--waiting", o.waiting,
          "number of requests that may wait for a thread; further ones are refused")
      .Range(1u, 4096u)
      .ShowDefault();
}

void Listen(const Words& w, ServeOptions* o) {
  if (!w.http.empty()) o->http = http::ReadAddress("--http", w.http);
  for (const std::string& text : w.zmq) o->endpoints.push_back(ReadEndpoint(text));
  if (!o->http && o->endpoints.empty()) o->endpoints.push_back(ReadEndpoint(kDefaultEndpoint));
  if (!w.peers.empty()) o->peers = Peers("--zmq-peers", w.peers);
  if (!w.token.empty()) o->token = Token(w.token);
  if (o->http && !o->http->IsLoopback() && !o->token.is_set()) {
    throw InputError("--http " + w.http +
                     ": others reach this address; add --token FILE, or listen at 127.0.0.1");
  }
  for (const Endpoint& endpoint : o->endpoints) {
    if (endpoint.is_loopback || !o->peers.empty()) continue;
    throw InputError("--zmq " + endpoint.text +
                     ": others reach this address; add --zmq-peers ADDRESS, or listen at "
                     "127.0.0.1");
  }
}

}  // namespace

std::optional<ServeOptions> ReadOptions(int argc, char** argv) {
  CommandLine app("Answers requests of other programs for what a model finds in a picture");
  ServeOptions o;
  Words w;
  o.workers = Processors();
  Describe(app, o, w);
  if (app.Parse(argc, argv)) return std::nullopt;
  app.CheckNeeds();
  if (o.model.empty() == o.store.empty()) {
    throw InputError(o.model.empty() ? "no MODEL given; see --help"
                                     : "--slots: the store has the model; remove MODEL");
  }
  o.pixels.is_bgr = w.colour == "bgr";
  o.pixels.float_range = w.floats == "255" ? 255.0f : 1.0f;
  if (!w.labels_map.empty()) o.label_map = ReadLabelMap(w.labels_map);
  Listen(w, &o);
  return o;
}

}  // namespace octet::port::serve
