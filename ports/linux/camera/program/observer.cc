#include "ports/linux/camera/program/observer.h"

namespace octet::port {

void Shared::Say(std::string_view news) const {
  if (news.empty()) return;
  program.emitter->Say(name.empty() ? std::string(news) : name + ": " + std::string(news));
}

}  // namespace octet::port
