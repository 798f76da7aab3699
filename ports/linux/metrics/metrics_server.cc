#include "ports/linux/metrics/metrics_server.h"

#include <utility>

#include "ports/linux/model.h"

namespace octet::port {

MetricsServer::MetricsServer(const std::string& where, const Metrics* metrics,
                             const StopRequest& stop, std::function<void()> begin)
    : metrics_(metrics),
      asked_(http::ReadAddress("--metrics", where)),
      text_(metrics->TextBytes()),
      server_("--metrics " + where, asked_, this, stop, std::move(begin)) {}

bool MetricsServer::ForAnyHost(std::string_view path) const {
  return path == "/metrics" && !asked_.IsLoopback();
}

http::Reply MetricsServer::Get(std::string_view path) {
  using Kind = http::Reply::Kind;
  if (path != "/metrics") {
    return {Kind::kWhole, "404 Not Found", "text/plain", "available: /metrics\n"};
  }
  text_.Clear();
  metrics_->Write(ResidentBytes(), &text_);
  if (!text_.fits()) {
    return {Kind::kWhole, "500 Internal Server Error", "text/plain",
            "the metrics do not fit their buffer; please report it\n"};
  }
  return {Kind::kWhole, "200 OK", "text/plain; version=0.0.4; charset=utf-8", text_.text()};
}

}  // namespace octet::port
