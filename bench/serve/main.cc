// bench-serve PROGRAM MODEL: how long octet-serve takes beside the network that it runs and beside
// the transport, and how it divides its time among clients.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "bench/serve/asker.h"
#include "bench/serve/echo.h"
#include "bench/serve/server_process.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/output/program.h"

namespace octet::bench {
namespace {

struct Options {
  std::string program, model, input = "image";
  std::vector<uint32_t> cpus;
  unsigned side = 320, requests = 2000, clients = 8, seconds = 5, threads = 2;
};

double Now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

double TimeOf(Asker* asker) {
  const double begun = Now();
  asker->Ask();
  return Now() - begun;
}

double Percentile(std::vector<double> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

// octet_serve_run_seconds_sum so far: the time of the network alone, in milliseconds.
double NetworkTime(Asker* metrics) {
  const std::string text = metrics->Ask();
  const std::string word = "\noctet_serve_run_seconds_sum ";
  const size_t at = text.find(word);
  if (at == std::string::npos) throw port::InputError("/metrics has no time of the network");
  return std::stod(text.substr(at + word.size(), 40)) * 1000;
}

// Requests to octet-serve and to the echo in turn: both see the same machine. The time of the
// network is that of the same request, as octet-serve itself measures it around octet_run.
void OneClient(const Options& o, const Request& request, const ServerProcess& server) {
  const std::string web = server.Place("http");
  const auto metrics = MakeGetter(web, "/metrics");
  const auto asker = MakeAsker(request, request.by_zmq ? server.Place("tcp") : web);
  const Echo echo(request, asker->Ask().size());
  const auto echoed = MakeAsker(request, echo.place());
  for (int i = 0; i < 100; ++i) TimeOf(asker.get()), TimeOf(echoed.get());
  std::vector<double> times, networks, above, echoes;
  double before = NetworkTime(metrics.get());
  for (unsigned i = 0; i < o.requests; ++i) {
    times.push_back(TimeOf(asker.get()));
    const double after = NetworkTime(metrics.get());
    networks.push_back(after - before);
    above.push_back(times.back() - networks.back());
    before = after;
    echoes.push_back(TimeOf(echoed.get()));
  }
  const auto print = [&](const char* what, const std::vector<double>& values) {
    std::printf("%s, one client, %s: p50 %.3f ms, p99 %.3f ms\n", request.name.c_str(), what,
                Percentile(values, 0.5), Percentile(values, 0.99));
  };
  print("a request", times);
  print("the network of it", networks);
  print("above the network", above);
  print("an echo of the same size", echoes);
}

void ManyClients(const Options& o, const Request& request, const ServerProcess& server) {
  const std::string place = server.Place(request.by_zmq ? "tcp" : "http");
  std::vector<std::unique_ptr<Asker>> askers;
  for (unsigned i = 0; i < o.clients; ++i) {
    askers.push_back(MakeAsker(request, place));
    askers.back()->Ask();
  }
  std::vector<uint64_t> counts(o.clients);
  std::vector<std::vector<double>> times(o.clients);
  std::atomic<bool> ending{false};
  std::vector<std::thread> threads;
  const double begun = Now();
  for (unsigned i = 0; i < o.clients; ++i) {
    threads.emplace_back([&, i] {
      try {
        while (!ending) {
          times[i].push_back(TimeOf(askers[i].get()));
          ++counts[i];
        }
      } catch (const std::exception& error) {
        std::fprintf(stderr, "bench-serve: client %u: %s\n", i, error.what());
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(o.seconds));
  ending = true;
  const double took = (Now() - begun) / 1000;
  for (std::thread& thread : threads) thread.join();
  std::vector<double> all;
  double total = 0;
  for (const uint64_t count : counts) total += static_cast<double>(count);
  for (const auto& one : times) all.insert(all.end(), one.begin(), one.end());
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  const double mean = total / o.clients;
  std::printf(
      "%s, %u clients: %.0f requests a second; p50 %.3f ms, p99 %.3f ms; shares of the "
      "clients %+.2f %% to %+.2f %% of their mean (%.0f requests)\n",
      request.name.c_str(), o.clients, total / took, Percentile(all, 0.5), Percentile(all, 0.99),
      100 * (static_cast<double>(*least) / mean - 1), 100 * (static_cast<double>(*most) / mean - 1),
      mean);
}

int Main(int argc, char** argv) {
  port::CommandLine app("Measures octet-serve with clients of each protocol");
  Options o;
  app.Name("bench-serve", "");
  app.Add("PROGRAM", o.program, "octet-serve").Required();
  app.Add("MODEL", o.model, "blob of a detector with one picture as input").Required();
  app.Add("--input", o.input, "name of the model's input, for v2").ShowDefault();
  app.Add("--server-cpus", o.cpus, "processors of octet-serve (default: all)").Delimiter(',');
  app.Add("--threads", o.threads, "threads of octet-serve").Range(1u, 256u).ShowDefault();
  app.Add("--side", o.side, "side of the picture in pixels").Range(8u, 2048u).ShowDefault();
  app.Add("--requests", o.requests, "of one client").Range(10u, 1000000u).ShowDefault();
  app.Add("--clients", o.clients, "clients at a time").Range(1u, 256u).ShowDefault();
  app.Add("--seconds", o.seconds, "time of all clients").Range(1u, 3600u).ShowDefault();
  if (app.Parse(argc, argv)) return 0;
  const ServerProcess server({o.program, o.model, "--http", "0", "--zmq", "tcp://127.0.0.1:*",
                              "--threads", std::to_string(o.threads)},
                             o.cpus);
  const std::string index = MakeGetter(server.Place("http"), "/v1/status")->Ask();
  std::smatch name;
  if (!std::regex_search(index, name, std::regex("\"model\":\"([^\"]*)\""))) {
    throw port::InputError(o.program + " does not tell its model");
  }
  for (const Request& request : Requests(o.side, name[1], o.input)) {
    const long before = server.ResidentKb();
    OneClient(o, request, server);
    ManyClients(o, request, server);
    std::printf("%s, resident memory: %ld KB before, %ld KB after\n", request.name.c_str(), before,
                server.ResidentKb());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace octet::bench

int main(int argc, char** argv) {
  return octet::port::RunProgram("bench-serve", [&] { return octet::bench::Main(argc, argv); });
}
