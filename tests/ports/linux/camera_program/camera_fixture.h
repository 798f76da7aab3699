// octet-camera as a child process: its stdin is a pipe, its stdout and stderr are files or what the
// test gives it.
#ifndef OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_CAMERA_FIXTURE_H_
#define OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_CAMERA_FIXTURE_H_

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/mixed_blob.h"

namespace octet::test {

namespace fs = std::filesystem;

inline std::string Y4m(int width, int height, int frames) {
  std::string text =
      "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " C420jpeg\n";
  const auto bytes =
      static_cast<size_t>(width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2));
  for (int i = 0; i < frames; ++i)
    text += "FRAME\n" + std::string(bytes, static_cast<char>(90 + i));
  return text;
}

class Camera : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-camera-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const Blob blob = MakeMixedBlob();
    std::ofstream(Path("m.octet"), std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
    signal(SIGPIPE, SIG_IGN);
  }
  void TearDown() override {
    if (child_ > 0) kill(child_, SIGKILL), waitpid(child_, nullptr, 0);
    fs::remove_all(folder_);
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  // Starts the program with stdin from a pipe; its stdout goes to `out`, or to a file, and stderr
  // to another.
  void Start(std::vector<std::string> arguments, int out = -1) {
    for (const char* name : {"out", "err"}) fs::remove(Path(name));  // of the run before
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[0], STDIN_FILENO);
      close(ends[0]);
      close(ends[1]);
      if (out >= 0) {
        dup2(out, STDOUT_FILENO);
      } else if (std::freopen(Path("out").c_str(), "w", stdout) == nullptr) {
        _exit(99);
      }
      if (std::freopen(Path("err").c_str(), "w", stderr) == nullptr) _exit(99);
      if (names_model_) arguments.insert(arguments.begin(), Path("m.octet"));
      arguments.insert(arguments.begin(), OCTET_BIN_DIR "/octet-camera");
      std::vector<char*> words;
      for (std::string& word : arguments) words.push_back(word.data());
      words.push_back(nullptr);
      execv(words[0], words.data());
      _exit(98);
    }
    close(ends[0]);
    input_ = ends[1];
  }
  void Send(const std::string& bytes) const {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t count = write(input_, bytes.data() + done, bytes.size() - done);
      if (count <= 0) return;
      done += static_cast<size_t>(count);
    }
  }
  // Closes stdin and waits for the end.
  int Finish() {
    close(input_);
    return Wait();
  }
  int Wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string Read(const char* name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<nlohmann::json> Lines() const {
    std::vector<nlohmann::json> lines;
    std::istringstream text(Read("out"));
    for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  // Waits until the program has said so, or 10 seconds.
  void AwaitError(const std::string& text) const {
    for (int i = 0; i < 1000; ++i) {
      if (Read("err").find(text) != std::string::npos) return;
      usleep(10000);
    }
    FAIL() << "no '" << text << "': " << Read("err");
  }
  // Ends by itself within ten seconds, or by SIGKILL.
  int WaitInTime() {
    for (int i = 0; i < 1000; ++i) {
      int status = 0;
      if (waitpid(child_, &status, WNOHANG) == child_) {
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      usleep(10000);
    }
    kill(child_, SIGKILL);
    return Wait();
  }
  // Waits until the output has so many lines, or 10 seconds.
  void AwaitLines(size_t count) const {
    for (int i = 0; i < 1000; ++i) {
      const std::string text = Read("out");
      if (static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) >= count) return;
      usleep(10000);
    }
    FAIL() << "no " << count << " lines: " << Read("out") << Read("err");
  }

  // A board of 70 C at Path("thermal").
  void WriteHeat() const {
    fs::create_directories(Path("thermal/thermal_zone0"));
    std::ofstream(Path("thermal/thermal_zone0/type")) << "cpu-thermal\n";
    std::ofstream(Path("thermal/thermal_zone0/temp")) << "70000\n";
  }
  // A program as a camera: FilmOf(NAME) shows the file `frame`, twenty times a second, and `other`
  // while there is a file `moved`. Its number is in the file NAME.
  void WriteFilm() const {
    const std::string film = Y4m(128, 96, 1);
    std::ofstream(Path("head"), std::ios::binary) << film.substr(0, film.find('\n') + 1);
    std::string frame = film.substr(film.find('\n') + 1);
    std::ofstream(Path("frame"), std::ios::binary) << frame;
    // A square in the left half, which changes the mean by a level.
    for (size_t y = 32; y < 56; ++y) frame.replace(6 + y * 128 + 16, 24, 24, '\x78');
    std::ofstream(Path("other"), std::ios::binary) << frame;
    std::ofstream(Path("film.sh"))
        << "echo $$ > $1\ncd " + folder_.string() +
               "\ncat head\nwhile if [ -e moved ]; then cat other; else cat frame; fi; do sleep "
               "0.05; done\n";
  }
  std::string FilmOf(const std::string& name) const {
    return "exec:sh " + Path("film.sh") + " " + Path(name);
  }

  fs::path folder_;
  pid_t child_ = 0;
  int input_ = -1;
  bool names_model_ = true;  // m.octet, before all other arguments
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_CAMERA_FIXTURE_H_
