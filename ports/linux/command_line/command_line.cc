#include "ports/linux/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "ports/linux/words/nearest.h"

namespace octet::port {
namespace {

std::string ErrorLine(const CLI::App& app, const CLI::ParseError& error, std::string program) {
  for (const CLI::App* command : app.get_subcommands()) program += " " + command->get_name();
  const std::string out = "; see " + program + " --help";
  // For a mistyped required option CLI11 says that it is missing. The mistyped word is more
  // helpful.
  const std::vector<std::string> unknown = app.remaining(true);
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-';
  });
  if (option != unknown.end()) return *option + ": no such option" + out;
  if (!unknown.empty()) return "'" + unknown.front() + "': one argument too many" + out;
  return error.what() + out;
}

// Named or not, chosen or not.
std::vector<const CLI::App*> AllCommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// "-o,--output": output; "MODEL": model.
std::string SettingName(const std::string& names) {
  std::string name = names.substr(names.rfind(',') + 1);
  name.erase(0, name.find_first_not_of('-'));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return name;
}

// A value as the words that set it.
std::vector<std::string> Words(const std::string& value) {
  if (value.empty()) return {};
  return {value};
}
template <typename T>
std::vector<std::string> Words(const T& value) {
  char text[64];
  return {{text, std::to_chars(text, text + sizeof(text), value).ptr}};
}
template <typename T>
std::vector<std::string> Words(const std::vector<T>& values) {
  std::vector<std::string> words;
  for (const T& value : values) words.push_back(Words(value).at(0));
  return words;
}

// As "nan" and "inf" are for the parser.
std::string IsFinite(std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return std::isfinite(value) ? "" : "'" + text + "' is not a number";
}

// Before the parser reads a number, for which a leading zero means octal: 010 is ten, 08 is eight.
// "": nothing is wrong.
std::string InDecimal(std::string& text) {
  const size_t sign = text.find_first_not_of("+-") == 1 ? 1 : 0;
  const bool is_whole = text.size() > sign + 1 && text[sign] == '0' &&
                        text.find_first_not_of("0123456789", sign) == std::string::npos;
  if (is_whole)
    text.erase(sign, std::min(text.find_first_not_of('0', sign), text.size() - 1) - sign);
  return "";
}

// What CLI11 knows of it.
DeclaredOption Declare(const CLI::Option& option) {
  DeclaredOption declared;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) declared.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) declared.names.push_back("--" + name);
  } else {
    declared.names = {option.get_name(true)};
  }
  // Its type, then a colon and its check.
  const std::string type = option.get_type_name();
  if (option.get_type_size() != 0) declared.value = type.substr(0, type.find(':'));
  declared.many = option.get_items_expected_max() > 1;
  declared.required = option.get_required();
  declared.default_value = option.get_default_str();
  declared.once = true;  // help, version and answers are no settings
  declared.help = option.get_description();
  return declared;
}

// Text of the program besides these.
void Describe(const Option::Details& details, DeclaredOption* declared) {
  declared->among = details.among;
  declared->least = details.least;
  declared->most = details.most;
  declared->needs = details.needs;
  declared->once = details.setting.name.empty();
  if (details.setting.reload == Reload::kNow) declared->reload = "now";
  if (details.setting.reload == Reload::kWithModel) declared->reload = "with model";
}

}  // namespace

Option Options::Keep(const std::string& names, CLI::Option* option, bool is_flag,
                     std::function<std::vector<std::string>()> read) {
  Option::Details& details = help_->options.emplace_back();
  details.option = option;
  details.setting.name = SettingName(names);
  details.setting.is_flag = is_flag;
  details.setting.is_list = option->get_items_expected_max() > 1;
  details.first = read();
  details.read = std::move(read);
  return Option(&details);
}

template <typename T>
Option Options::Add(const std::string& names, T& value, const std::string& help) {
  CLI::Option* option = app_->add_option(names, value, help);
  // As of a shell variable that was never set: the option must not be ignored because of it.
  if constexpr (std::is_same_v<T, std::string>) {
    option->check([](const std::string& text) {
      return std::string(text.empty() ? "is empty; give a value, or remove the option" : "");
    });
  }
  if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, std::vector<std::string>>) {
    option->transform(CLI::Validator(InDecimal, ""));
    if constexpr (std::is_same_v<T, double>) option->check(CLI::Validator(IsFinite, ""));
  }
  return Keep(names, option, false, [&value] { return Words(value); });
}
template Option Options::Add(const std::string&, std::string&, const std::string&);
template Option Options::Add(const std::string&, int&, const std::string&);
template Option Options::Add(const std::string&, uint32_t&, const std::string&);
template Option Options::Add(const std::string&, int64_t&, const std::string&);
template Option Options::Add(const std::string&, uint64_t&, const std::string&);
template Option Options::Add(const std::string&, double&, const std::string&);
template Option Options::Add(const std::string&, std::vector<std::string>&, const std::string&);
template Option Options::Add(const std::string&, std::vector<uint32_t>&, const std::string&);

Option Options::AddFlag(const std::string& name, bool& value, const std::string& help) {
  return Keep(name, app_->add_flag(name, value, help), true,
              [&value] { return std::vector<std::string>{value ? "true" : "false"}; });
}

void Options::AddAnswer(const std::string& name, std::function<std::string()> text,
                        const std::string& help) {
  app_->set_version_flag(name, std::move(text), help);
}

void Options::Group(const std::string& title) {
  app_->option_defaults()->group(title);
}

void Options::MoreGroup(const std::string& title) {
  help_->more_groups.push_back(title);
  Group(title);
}

void Options::Footer(const std::string& text) {
  help_->footer = text;
}

void Options::MoreFooter(const std::string& text) {
  help_->more_footer = text;
}

void Options::WhenChosen(std::function<void()> action) {
  app_->callback(std::move(action));
}

CommandLine::CommandLine(const std::string& description)
    : Options(nullptr), owned_(std::make_unique<CLI::App>(description)) {
  app_ = owned_.get();
}

CommandLine::~CommandLine() = default;

void CommandLine::Name(const std::string& program, const std::string& version) {
  program_ = program;
  Group("Options");
  if (!version.empty()) app_->set_version_flag("--version", program + " " + version);
}

Options CommandLine::AddCommand(const std::string& name, const std::string& description) {
  // With commands, --help shows how the program is called; without, the path it was started by.
  app_->name(program_);
  app_->require_subcommand(1);
  commands_.emplace_back(app_->add_subcommand(name, description));
  return commands_.back();
}

std::string CommandLine::Commands() const {
  const std::vector<const CLI::App*> commands = AllCommands(*app_);
  std::string list;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (i != 0) list += i + 1 == commands.size() ? " and " : ", ";
    list += commands[i]->get_name();
  }
  return list;
}

bool CommandLine::HasCommand(const std::string& name) const {
  const std::vector<const CLI::App*> commands = AllCommands(*app_);
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->check_name(name); });
}

void CommandLine::PrepareHelp(const Options& options, const std::string& program, bool all) {
  const Help& help = *options.help_;
  std::vector<std::string> parts{help.footer};
  if (all) {
    parts.push_back(help.more_footer);
  } else if (!help.more_groups.empty()) {
    for (CLI::Option* option : options.app_->get_options()) {
      const auto& more = help.more_groups;
      if (std::find(more.begin(), more.end(), option->get_group()) != more.end()) {
        option->group("");  // hidden
      }
    }
    parts.push_back("All options: " + program + " --help-all");
  }
  std::string footer;
  for (const std::string& part : parts) {
    if (!part.empty()) footer += (footer.empty() ? "" : "\n") + part;
  }
  options.app_->footer(footer);
}

Declared CommandLine::DeclarationOf(const Options& options, const std::string& name) {
  const Help& help = *options.help_;
  Declared declared{name, options.app_->get_description(), {}, {}, help.footer, help.more_footer,
                    {}};
  for (const CLI::Option* option : std::as_const(*options.app_).get_options()) {
    DeclaredOption one = Declare(*option);
    for (const Option::Details& details : help.options) {
      if (details.option == option) Describe(details, &one);
    }
    if (option->nonpositional()) {
      const std::string& title = option->get_group();
      auto group = std::find_if(declared.groups.begin(), declared.groups.end(),
                                [&](const DeclaredGroup& known) { return known.title == title; });
      if (group == declared.groups.end()) {
        const auto& more = help.more_groups;
        const bool is_more = std::find(more.begin(), more.end(), title) != more.end();
        group = declared.groups.insert(group, DeclaredGroup{title, is_more, {}});
      }
      group->options.push_back(std::move(one));
    } else {
      declared.arguments.push_back(std::move(one));
    }
  }
  return declared;
}

std::optional<int> CommandLine::Parse(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  if (std::find(words.begin(), words.end(), std::string("--help-json")) != words.end()) {
    Declared declared = DeclarationOf(*this, program_);
    for (const Options& command : commands_) {
      declared.commands.push_back(
          DeclarationOf(command, program_ + " " + command.app_->get_name()));
    }
    std::fputs(DeclarationJson(declared).c_str(), stdout);
    return 0;
  }
  std::string help = "--help";
  bool all = false;
  for (char*& word : words) {
    if (std::string(word) != "--help-all") continue;
    word = help.data();
    all = true;
  }
  try {
    app_->parse(argc, words.data());
  } catch (const CLI::Success& asked) {  // --help, --version
    PrepareHelp(*this, program_, all);
    for (const Options& command : commands_) {
      PrepareHelp(command, program_ + " " + command.app_->get_name(), all);
    }
    std::ostringstream out, error;
    const int status = app_->exit(asked, out, error);
    std::fputs(out.str().c_str(), stdout);
    return status;
  } catch (const CLI::ParseError& error) {
    throw UsageError(ErrorLine(*app_, error, program_), error.what());
  }
  return std::nullopt;
}

bool CommandLine::IsSet(const std::string& option) const {
  return std::any_of(help_->options.begin(), help_->options.end(),
                     [name = SettingName(option)](const Option::Details& details) {
                       return details.setting.name == name && details.IsSet();
                     });
}

std::vector<Setting> CommandLine::Settings() const {
  std::vector<Setting> settings;
  for (const Option::Details& details : help_->options) {
    if (details.setting.name.empty()) continue;
    Setting& setting = settings.emplace_back(details.setting);
    setting.given = details.option->count() > 0;
    const bool does_nothing = !details.needs.empty() && !IsSet(details.needs);
    if (!does_nothing && (details.shows_default || setting.is_flag || details.IsSet())) {
      setting.values = details.read();
    }
  }
  return settings;
}

void CommandLine::Set(const std::string& name, const std::vector<std::string>& values) {
  const auto fail = [](const std::string& why) { throw UsageError(why, why); };
  std::vector<std::string> names;
  Option::Details* found = nullptr;
  for (Option::Details& details : help_->options) {
    if (details.setting.name.empty()) continue;
    names.push_back(details.setting.name);
    if (details.setting.name == name) found = &details;
  }
  if (found == nullptr) {
    fail("'" + name + "' is not a setting; the nearest name is '" + Nearest(name, names) + "'");
  }
  if (values.size() != 1 && !found->setting.is_list) fail(name + ": expected one value");
  if (found->setting.is_flag && values[0] != "true" && values[0] != "false") {
    fail(name + ": '" + values[0] + "' is neither true nor false");
  }
  try {
    found->option->add_result(values);
    found->option->run_callback();
  } catch (const CLI::ParseError& error) {
    fail(error.what());
  }
}

void CommandLine::CheckNeeds() const {
  for (const Option::Details& details : help_->options) {
    if (details.needs.empty() || !details.IsSet() || IsSet(details.needs)) continue;
    const std::string line = "--" + details.setting.name + ": needs " + details.needs + details.why;
    throw UsageError(line, line);
  }
}

}  // namespace octet::port
