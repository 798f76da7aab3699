#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/http/address.h"
#include "ports/linux/model.h"

namespace octet::port {
namespace {

constexpr uint64_t kBundlePatienceNs = 5'000'000'000;  // for the journal and the camera that runs

// Reads the descriptor until its end or the deadline, and keeps the last kMostPartBytes.
std::string AllOf(int descriptor, uint64_t deadline_ns) {
  std::string text;
  for (;;) {
    const uint64_t now = NowNs();
    if (now >= deadline_ns) return text + "(cut: no more came in time)\n";
    pollfd wait = {descriptor, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>((deadline_ns - now) / 1'000'000 + 1)) <= 0) continue;
    char bytes[4096];
    const ssize_t count = read(descriptor, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(bytes, static_cast<size_t>(count));
    if (text.size() > 2 * kMostPartBytes) text.erase(0, text.size() - kMostPartBytes);
  }
}

// "HTTP/1.1 200 OK..." and the body, or "" and why not.
std::string Fetch(const http::Address& address, std::string* why) {
  const int descriptor =
      socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto* const to = reinterpret_cast<const sockaddr*>(&address.socket);
  std::string answer;
  if (descriptor < 0 || (connect(descriptor, to, address.bytes) != 0 && errno != EINPROGRESS)) {
    *why = std::strerror(errno);
  } else {
    pollfd wait = {descriptor, POLLOUT, 0};
    poll(&wait, 1, static_cast<int>(kBundlePatienceNs / 1'000'000));
    int error = 0;
    socklen_t bytes = sizeof(error);
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes);
    const std::string request =
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (error != 0 || send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) < 0) {
      *why = std::strerror(error != 0 ? error : errno);
    } else {
      answer = AllOf(descriptor, NowNs() + kBundlePatienceNs);
    }
  }
  if (descriptor >= 0) close(descriptor);
  return answer;
}

// The address under which this machine reaches its own server.
http::Address ReachableAt(const std::string& metrics) {
  http::Address address = http::ReadAddress("--metrics " + metrics, metrics);
  if (address.host == "0.0.0.0" || address.host == "[::]") address = http::LoopbackAt(address.port);
  return address;
}

}  // namespace

std::string MetricsPart(const CameraOptions& options) {
  if (options.metrics.empty()) return "no --metrics given\n";
  const http::Address address = ReachableAt(options.metrics);
  std::string why = "no answer";
  const std::string answer = Fetch(address, &why);
  const size_t body = answer.find("\r\n\r\n");
  if (answer.rfind("HTTP/", 0) != 0 || body == std::string::npos) {
    return "no camera answers at " + address.Text() + ": " + why + "\n";
  }
  return answer.substr(body + 4);
}

std::string LastLinesPart() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::string("journalctl: ") + std::strerror(errno) + "\n";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::string words[] = {"journalctl", "--unit=octet-camera", "--no-pager", "--output=short-iso",
                         "--lines=" + std::to_string(kLastLines)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (error != 0) {
    text = std::string("journalctl: ") + std::strerror(error) +
           "; add the lines from where the program's output goes\n";
  } else {
    text = AllOf(ends[0], NowNs() + kBundlePatienceNs);
    kill(child, SIGKILL);  // not of one that has ended: it is waited for below
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  if (text.size() > kMostPartBytes) text.erase(0, text.size() - kMostPartBytes);
  return text;
}

}  // namespace octet::port
