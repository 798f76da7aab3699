// All that is served by HTTP: which part a path belongs to, and what belongs to none.
#ifndef OCTET_PORTS_LINUX_SERVE_WEB_SITE_H_
#define OCTET_PORTS_LINUX_SERVE_WEB_SITE_H_

#include <functional>
#include <memory>
#include <optional>

#include "ports/linux/serve/access/token.h"
#include "ports/linux/serve/deepstack/site.h"
#include "ports/linux/serve/engine/context.h"
#include "ports/linux/serve/v2/site.h"
#include "ports/linux/serve/web/server.h"

namespace octet::port::serve {

class ServeSite final : public WebSite {
 public:
  // only_here: the server listens where this machine alone reaches it. now: for /metrics and
  // /v1/status.
  ServeSite(const Context& context, const Token& token, bool only_here,
            std::function<Numbers::Now()> now);

  std::optional<WebReply> Begin(const WebRequest& request) override;
  void Answer(const std::shared_ptr<Exchange>& exchange) override;

 private:
  WebReply Metrics();
  WebReply Status() const;

  const Context context_;
  const Token token_;
  const bool only_here_;
  const std::function<Numbers::Now()> now_;
  const DeepStackSite deepstack_;
  const V2Site v2_;
  Exposition text_{Numbers::kTextBytes};
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_WEB_SITE_H_
