// A program as a child, in a process group of its own: what it writes to stdout and stderr can be
// read here. It ends with this process, also if that is killed.
#ifndef OCTET_PORTS_LINUX_CAPTURE_CHILD_H_
#define OCTET_PORTS_LINUX_CAPTURE_CHILD_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace octet::port {

// The file that a shell would run for this name; "": there is none.
std::string FindProgram(const std::string& name);

class Child {
 public:
  // The descriptor on which a child finds `input`.
  static constexpr int kInput = 3;

  // words: the program, as FindProgram gives it, and its arguments. input: what it may read, at
  // most a page; for what ps must not show. The child ends when the thread that calls this does.
  // Throws InputError.
  explicit Child(const std::vector<std::string>& words, const std::string& input = "");
  // Ends the child and all that it has started in its group: a moment after SIGTERM by SIGKILL.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int out() const { return out_; }
  int err() const { return err_; }
  // Ends it, and says how it had ended before: "ended with status 1", "was killed by signal 9";
  // "was ended": it still ran.
  std::string End();

 private:
  bool HasEnded(int timeout_ms) const;

  pid_t process_ = -1;
  int out_ = -1, err_ = -1;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_CHILD_H_
