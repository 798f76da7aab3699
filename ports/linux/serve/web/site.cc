#include "ports/linux/serve/web/site.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "ports/linux/http/request.h"

namespace octet::port::serve {

ServeSite::ServeSite(const Context& context, const Token& token, bool only_here,
                     std::function<Numbers::Now()> now)
    : context_(context),
      token_(token),
      only_here_(only_here),
      now_(std::move(now)),
      deepstack_(context, &token_),
      v2_(context, &token_) {}

WebReply ServeSite::Metrics() {
  text_.Clear();
  context_.numbers->Write(now_(), &text_);
  return {200, "text/plain; version=0.0.4; charset=utf-8", std::string(text_.text())};
}

WebReply ServeSite::Status() const {
  const std::shared_ptr<Served> served = context_.workers->served();
  const Numbers::Now now = now_();
  const nlohmann::ordered_json status = {{"success", true},
                                         {"program", "octet-serve"},
                                         {"version", OCTET_VERSION_TEXT},
                                         {"model", served->facts().name},
                                         {"workers", now.workers},
                                         {"waiting", now.waiting},
                                         {"connections", now.connections},
                                         {"runs", context_.numbers->runs()},
                                         {"rss_bytes", now.resident_bytes}};
  return {200, "application/json",
          status.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"};
}

std::optional<WebReply> ServeSite::Begin(const WebRequest& request) {
  // A page whose name was made to resolve here (DNS rebinding) sends its own name.
  if (only_here_ && !token_.is_set() && !request.host.empty() && !http::IsLoopback(request.host)) {
    return ErrorReply(403, "Host " + request.host +
                               ": this address answers to localhost, 127.0.0.1 and [::1]; set "
                               "--token to answer to every name");
  }
  if (DeepStackSite::Owns(request.path)) return deepstack_.Begin(request);
  if (V2Site::Owns(request.path)) return v2_.Begin(request);
  const bool is_metrics = request.path == "/metrics";
  if (!is_metrics && request.path != "/v1/status") {
    return ErrorReply(404, request.path +
                               ": not here; available: /v1/vision/detection, /v1/vision/custom, "
                               "/v1/status, /v2, /metrics");
  }
  if (!token_.AcceptsHeader(request.authorization)) {
    return ErrorReply(401, "Authorization: Bearer TOKEN is missing or wrong");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return ErrorReply(405, request.method + ": not here; use GET");
  }
  return is_metrics ? Metrics() : Status();
}

void ServeSite::Answer(const std::shared_ptr<Exchange>& exchange) {
  if (DeepStackSite::Owns(exchange->request.path)) return deepstack_.Answer(exchange);
  v2_.Answer(exchange);
}

}  // namespace octet::port::serve
