// Options of octet-serve.
#ifndef OCTET_PORTS_LINUX_SERVE_PROGRAM_OPTIONS_H_
#define OCTET_PORTS_LINUX_SERVE_PROGRAM_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/linux/http/address.h"
#include "ports/linux/serve/access/peers.h"
#include "ports/linux/serve/access/token.h"
#include "ports/linux/serve/engine/label_map.h"
#include "ports/linux/serve/zmq/endpoint.h"
#include "ports/linux/serve/zmq/request.h"
#include "ports/linux/slot/slot_store.h"

namespace octet::port::serve {

struct ServeOptions {
  std::string model;  // "": that of a store
  std::optional<http::Address> http;
  std::vector<Endpoint> endpoints;
  Peers peers;
  ZmqPixels pixels;
  std::optional<LabelMap> label_map;
  Token token;
  std::string store;
  StoreOptions access;
  uint32_t confirm_after = 100;
  uint32_t workers = 1;
  uint32_t waiting = 64;
};

// None: the program is done, as for --help. Throws InputError, also where an address that others
// reach has nothing that keeps them out.
std::optional<ServeOptions> ReadOptions(int argc, char** argv);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_PROGRAM_OPTIONS_H_
