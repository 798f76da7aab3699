// DeepStack's and CodeProject.AI's form of requests, over HTTP.
#ifndef OCTET_PORTS_LINUX_SERVE_DEEPSTACK_SITE_H_
#define OCTET_PORTS_LINUX_SERVE_DEEPSTACK_SITE_H_

#include <memory>
#include <optional>

#include "ports/linux/serve/access/token.h"
#include "ports/linux/serve/engine/context.h"
#include "ports/linux/serve/web/exchange.h"

namespace octet::port::serve {

class DeepStackSite {
 public:
  DeepStackSite(const Context& context, const Token* token) : context_(context), token_(token) {}

  static bool Owns(const std::string& path) { return path.rfind("/v1/vision/", 0) == 0; }
  std::optional<WebReply> Begin(const WebRequest& request) const;
  void Answer(const std::shared_ptr<Exchange>& exchange) const;

 private:
  WebReply List(const WebRequest& request) const;

  Context context_;
  const Token* token_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_DEEPSTACK_SITE_H_
