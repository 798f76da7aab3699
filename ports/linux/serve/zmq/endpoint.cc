#include "ports/linux/serve/zmq/endpoint.h"

#include <sys/un.h>

#include "ports/linux/http/address.h"
#include "ports/linux/output/error.h"

namespace octet::port::serve {

Endpoint ReadEndpoint(const std::string& text) {
  const std::string option = "--zmq " + text;
  const std::string tcp = "tcp://", ipc = "ipc://";
  Endpoint endpoint;
  if (text.rfind(ipc, 0) == 0) {
    endpoint.path = text.substr(ipc.size());
    if (endpoint.path.empty() || endpoint.path[0] != '/' ||
        endpoint.path.size() >= sizeof(sockaddr_un::sun_path)) {
      throw InputError(option + ": not an absolute path of at most " +
                       std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                       " bytes; write ipc:///run/octet-serve/zmq.sock");
    }
    endpoint.text = text;
    endpoint.is_loopback = true;
    return endpoint;
  }
  if (text.rfind(tcp, 0) != 0) {
    throw InputError(option + ": not a known endpoint; write " + kDefaultEndpoint +
                     " or ipc:///run/octet-serve/zmq.sock");
  }
  std::string place = text.substr(tcp.size());
  if (place.find(':') == std::string::npos) {
    throw InputError(option + ": has no port; write " + kDefaultEndpoint);
  }
  // ZeroMQ's words: * as an address is every one, as a port any that is free.
  if (place.rfind("*:", 0) == 0) place.replace(0, 1, "0.0.0.0");
  if (place.size() > 2 && place.substr(place.size() - 2) == ":*") {
    place.replace(place.size() - 1, 1, "0");
  }
  const http::Address address = http::ReadAddress("--zmq", place);
  endpoint.is_loopback = address.IsLoopback();
  endpoint.text =
      tcp + address.host + ":" + (address.port == 0 ? "*" : std::to_string(address.port));
  return endpoint;
}

}  // namespace octet::port::serve
