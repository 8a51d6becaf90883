// What a head asks for, checked in order before a byte of the body is read: the name, the path, the
// framing, the route, who asks, and how much they mean to send.
#pragma once

#include <variant>

#include "server/access.h"
#include "server/body.h"
#include "server/routes.h"

namespace jogak::server {

struct Admitted {
  Request request = {};  // without its body
  const Route* route = nullptr;
  Framing framing = {};
};
std::variant<Admitted, Refusal> admit(const Head& head, const Routes& routes, const Access& access);

}  // namespace jogak::server
