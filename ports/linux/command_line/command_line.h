// The command lines of all programs: options, flags, commands, --help and --version. CLI11 stands
// behind it in this folder only, because it takes longer to compile than most files that need it.
#ifndef OCTET_PORTS_LINUX_COMMAND_LINE_COMMAND_LINE_H_
#define OCTET_PORTS_LINUX_COMMAND_LINE_COMMAND_LINE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ports/linux/command_line/declaration.h"
#include "ports/linux/output/error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace octet::port {

// One line: what is wrong, and where the way out stands.
struct UsageError : InputError {
  UsageError(const std::string& line, const std::string& cause) : InputError(line), cause(cause) {}
  std::string cause;  // the first half, in the parser's words
};

// What a program does with an option whose value in its settings file changed while it runs.
enum class Reload {
  kNever,  // says that it cannot
  kNow,
  kWithModel,  // the model is loaded again
};

// An option as a settings file knows it.
struct Setting {
  std::string name;                 // without dashes; of MODEL in small letters
  std::vector<std::string> values;  // in force; none: it is not set and has no default
  bool is_flag = false;             // true or false
  bool is_list = false;
  bool given = false;
  bool of_camera = false;  // an entry of a list of cameras may have its own
  bool is_alone = false;   // and no two entries the same
  Reload reload = Reload::kNever;
};

// An option just added, to say more about it; the calls chain.
class Option {
 public:
  struct Details {
    CLI::Option* option = nullptr;
    Setting setting;                                 // without values
    std::function<std::vector<std::string>()> read;  // the variable as words
    std::vector<std::string> first;                  // what it said before anything was parsed
    bool shows_default = false;
    std::string needs, why;
    std::vector<std::string> among;
    std::string least, most;  // of Range
    bool IsSet() const;       // by the user, to more than `false`
  };
  explicit Option(Details* details) : details_(details), option_(details->option) {}
  Option& Required();
  // --help shows the value that the variable has now.
  Option& ShowDefault();
  // Several values stand in one argument, between these.
  Option& Delimiter(char between);
  // One value each time it is named, not all that follow.
  Option& OneEach();
  Option& Among(const std::vector<std::string>& words);
  Option& Folder();  // one that exists
  // Both ends included; the type stands in --help.
  Option& Range(int least, int most);
  Option& Range(unsigned least, unsigned most);
  Option& Range(int64_t least, int64_t most);
  // After Parse: whether it was there. An option of another one is refused where it does nothing.
  bool Given() const;
  // It is refused, by CheckNeeds, where this other one is not set; `why` follows its name.
  Option& Needs(const std::string& other, const std::string& why = "");
  Option& Reloads(Reload reload);
  // An entry of a list of cameras may have its own. kAlone: no two of them the same, as of a file
  // that each writes.
  enum class Same { kAllowed, kAlone };
  Option& OfCamera(Same same = Same::kAllowed);
  // An action of one start: no settings file has it.
  Option& OnCommandLineOnly();

 private:
  template <typename T>
  Option& Within(T least, T most);

  Details* details_;
  CLI::Option* option_;
};

// The options of a program or of one of its commands. A handle: variables and the CommandLine it
// came from have to outlive Parse.
class Options {
 public:
  explicit Options(CLI::App* app) : app_(app), help_(std::make_shared<Help>()) {}
  // names: "MODEL" by its place, "--plan", or "-o,--output". T: std::string, int, uint32_t,
  // int64_t, uint64_t, double, and std::vector of std::string or uint32_t.
  template <typename T>
  Option Add(const std::string& names, T& value, const std::string& help = "");
  Option AddFlag(const std::string& name, bool& value, const std::string& help = "");
  // Prints the text and is done, whatever else is missing, as --help is; at most one.
  void AddAnswer(const std::string& name, std::function<std::string()> text,
                 const std::string& help);
  // Options added from here on stand under this title, in --help and in --help-all.
  void Group(const std::string& title);
  // The same, in --help-all alone.
  void MoreGroup(const std::string& title);
  void Footer(const std::string& text);
  // In --help-all alone, behind the other.
  void MoreFooter(const std::string& text);
  // Parse calls it where this is the command chosen.
  void WhenChosen(std::function<void()> action);

 protected:
  // What --help leaves to --help-all.
  struct Help {
    std::vector<std::string> more_groups;
    std::string footer, more_footer;
    std::deque<Option::Details> options;  // in the order in which they were added
  };
  Option Keep(const std::string& names, CLI::Option* option, bool is_flag,
              std::function<std::vector<std::string>()> read);

  CLI::App* app_;
  std::shared_ptr<Help> help_;  // of all handles of these options

  friend class CommandLine;
};

class CommandLine : public Options {
 public:
  explicit CommandLine(const std::string& description);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  // program: as typed. With a version there is --version, which prints both.
  void Name(const std::string& program, const std::string& version = "");
  // A program must be named before its first command; one of them is required then.
  Options AddCommand(const std::string& name, const std::string& description);
  // Names joined as in "a, b and c".
  std::string Commands() const;
  bool HasCommand(const std::string& name) const;

  // The exit status where the program is done, for --help, --help-all and --version; throws
  // UsageError. --help-json, which no help names, is a program's declaration for other programs.
  std::optional<int> Parse(int argc, char** argv);

  // After Parse: every option but those of the command line alone, as it is now.
  std::vector<Setting> Settings() const;
  // After Parse, of an option that was not given: as if it had been. Throws UsageError, also where
  // there is no such name, with the nearest one.
  void Set(const std::string& name, const std::vector<std::string>& values);
  // After all is set: that each option has what it Needs. Throws UsageError.
  void CheckNeeds() const;

 private:
  bool IsSet(const std::string& option) const;
  // Of one program or command: with `all` --help shows everything.
  static void PrepareHelp(const Options& options, const std::string& program, bool all);
  static Declared DeclarationOf(const Options& options, const std::string& name);

  std::unique_ptr<CLI::App> owned_;
  std::string program_;
  std::vector<Options> commands_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_COMMAND_LINE_COMMAND_LINE_H_
