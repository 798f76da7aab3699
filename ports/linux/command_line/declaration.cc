#include "ports/linux/command_line/declaration.h"

#include <nlohmann/json.hpp>

namespace octet::port {
namespace {

using nlohmann::ordered_json;

template <typename T>
void Put(ordered_json* json, const char* key, const T& value) {
  if (value != T()) (*json)[key] = value;
}

ordered_json OptionJson(const DeclaredOption& option) {
  ordered_json json;
  json["names"] = option.names;
  Put(&json, "value", option.value);
  Put(&json, "many", option.many);
  Put(&json, "required", option.required);
  Put(&json, "default", option.default_value);
  Put(&json, "among", option.among);
  Put(&json, "least", option.least);
  Put(&json, "most", option.most);
  Put(&json, "needs", option.needs);
  Put(&json, "reload", option.reload);
  Put(&json, "once", option.once);
  json["help"] = option.help;
  return json;
}

ordered_json OptionsJson(const std::vector<DeclaredOption>& options) {
  ordered_json json = ordered_json::array();
  for (const DeclaredOption& option : options) json.push_back(OptionJson(option));
  return json;
}

ordered_json ToJson(const Declared& declared) {
  ordered_json json;
  json["name"] = declared.name;
  json["description"] = declared.description;
  json["arguments"] = OptionsJson(declared.arguments);
  json["groups"] = ordered_json::array();
  for (const DeclaredGroup& group : declared.groups) {
    ordered_json& added = json["groups"].emplace_back();
    added["title"] = group.title;
    Put(&added, "more", group.more);
    added["options"] = OptionsJson(group.options);
  }
  Put(&json, "footer", declared.footer);
  Put(&json, "more_footer", declared.more_footer);
  for (const Declared& command : declared.commands) json["commands"].push_back(ToJson(command));
  return json;
}

}  // namespace

std::string DeclarationJson(const Declared& declared) {
  return ToJson(declared).dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace octet::port
