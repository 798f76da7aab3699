#include "ports/linux/serve/web/exchange.h"

#include <nlohmann/json.hpp>

namespace octet::port::serve {

std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

WebReply ErrorReply(unsigned status, const std::string& why) {
  return {status, "application/json", "{\"error\":" + JsonText(why) + "}\n"};
}

}  // namespace octet::port::serve
