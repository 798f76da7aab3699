#include <CLI/CLI.hpp>

#include "ports/linux/command_line/command_line.h"

namespace octet::port {

Option& Option::Required() {
  option_->required();
  return *this;
}

Option& Option::ShowDefault() {
  option_->capture_default_str();
  details_->shows_default = true;
  return *this;
}

Option& Option::Delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option& Option::OneEach() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::Among(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  details_->among = words;
  return *this;
}

Option& Option::Folder() {
  option_->check(CLI::ExistingDirectory);
  return *this;
}

template <typename T>
Option& Option::Within(T least, T most) {
  option_->check(CLI::Range(least, most));
  details_->least = std::to_string(least);
  details_->most = std::to_string(most);
  return *this;
}

Option& Option::Range(int least, int most) {
  return Within(least, most);
}

Option& Option::Range(unsigned least, unsigned most) {
  return Within(least, most);
}

Option& Option::Range(int64_t least, int64_t most) {
  return Within(least, most);
}

bool Option::Given() const {
  return option_->count() > 0;
}

bool Option::Details::IsSet() const {
  if (setting.is_flag) return read()[0] == "true";
  return option->count() > 0 || read() != first;
}

Option& Option::Needs(const std::string& other, const std::string& why) {
  details_->needs = other;
  details_->why = why;
  return *this;
}

Option& Option::Reloads(Reload reload) {
  details_->setting.reload = reload;
  return *this;
}

Option& Option::OfCamera(Same same) {
  details_->setting.of_camera = true;
  details_->setting.is_alone = same == Same::kAlone;
  return *this;
}

Option& Option::OnCommandLineOnly() {
  details_->setting.name.clear();
  return *this;
}

}  // namespace octet::port
