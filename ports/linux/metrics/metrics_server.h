// /metrics for a Prometheus that scrapes.
#ifndef OCTET_PORTS_LINUX_METRICS_METRICS_SERVER_H_
#define OCTET_PORTS_LINUX_METRICS_METRICS_SERVER_H_

#include <functional>
#include <string>

#include "ports/linux/http/server.h"
#include "ports/linux/metrics/metrics.h"

namespace octet::port {

class MetricsServer final : private http::Site {
 public:
  // where: the option's value, [ADDRESS:]PORT. At an address that others reach, /metrics answers to
  // every name, because a scraper uses the name of the board. `metrics` has to outlive it; `begin`
  // is the first that its thread calls. Throws InputError.
  MetricsServer(const std::string& where, const Metrics* metrics, const StopRequest& stop,
                std::function<void()> begin);

  const http::Address& address() const { return server_.address(); }

 private:
  http::Reply Get(std::string_view path) override;
  bool ForAnyHost(std::string_view path) const override;

  const Metrics* metrics_;
  const http::Address asked_;
  Exposition text_;
  http::Server server_;  // the last: its thread uses all of the above
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_METRICS_SERVER_H_
