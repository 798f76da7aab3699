#include "ports/linux/camera/program/observers.h"

namespace octet::port {

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = {
#define OCTET_OBSERVER(name) {Describe##name, Make##name},
#include "ports/linux/camera/program/observers.inc"
#undef OCTET_OBSERVER
  };
  return features;
}

}  // namespace octet::port
