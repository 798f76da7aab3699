// The Open Inference Protocol v2 over HTTP.
#ifndef OCTET_PORTS_LINUX_SERVE_V2_SITE_H_
#define OCTET_PORTS_LINUX_SERVE_V2_SITE_H_

#include <memory>
#include <optional>
#include <string>

#include "ports/linux/serve/access/token.h"
#include "ports/linux/serve/engine/context.h"
#include "ports/linux/serve/web/exchange.h"

namespace octet::port::serve {

class V2Site {
 public:
  V2Site(const Context& context, const Token* token) : context_(context), token_(token) {}

  static bool Owns(const std::string& path) { return path == "/v2" || path.rfind("/v2/", 0) == 0; }
  std::optional<WebReply> Begin(const WebRequest& request) const;
  void Answer(const std::shared_ptr<Exchange>& exchange) const;

 private:
  // /v2/models/NAME[/versions/VERSION][/ACTION]
  struct Place {
    std::string name, version, action;
  };
  static bool ReadPlace(const std::string& path, Place* place);
  std::optional<WebReply> BeginModel(const WebRequest& request) const;

  Context context_;
  const Token* token_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_V2_SITE_H_
