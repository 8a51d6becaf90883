#include "server/admit.h"

namespace jogak::server {
namespace {

// Of the page's own paths: programs that speak the OpenAI interface read English.
Lang wanted_lang(const Head& head, const std::string& path) {
  const std::string* const said = head.find("accept-language");
  return said && said->starts_with("ko") && path.starts_with("/api/") ? Lang::ko : Lang::en;
}

}  // namespace

std::variant<Admitted, Refusal> admit(const Head& head, const Routes& routes,
                                      const Access& access) {
  if (const auto wrong = access.check_host(head)) return *wrong;
  auto target = parse_target(head.method == "CONNECT" ? "/" : head.target);
  if (const auto* wrong = std::get_if<Refusal>(&target)) return *wrong;
  const auto framing = framing_of(head);
  if (const auto* wrong = std::get_if<Refusal>(&framing)) return *wrong;
  Admitted out{.framing = std::get<Framing>(framing)};
  out.request.method = head.method;
  out.request.path = std::move(std::get<Target>(target).path);
  out.request.query = std::move(std::get<Target>(target).query);
  out.request.lang = wanted_lang(head, out.request.path);
  if (const std::string* key = head.find("authorization")) out.request.client = *key + " ";
  std::string allowed;
  out.route = routes.find(out.request, allowed);
  if (!out.route && allowed.empty()) return Refusal{404, "not_found", "no such path"};
  if (!out.route) return Refusal{405, "method_not_allowed", "this path knows: " + allowed};
  if (const auto wrong = access.check_origin(head)) return *wrong;
  if (!out.route->open)
    if (const auto wrong = access.check_key(head)) return *wrong;
  if (out.framing.length > out.route->most_body) return too_large(out.route->most_body);
  if (head.method == "POST") {
    const std::string* const type = head.find("content-type");
    if (!type || !type->starts_with("application/json"))
      return Refusal{415, "unsupported_type", "wanted Content-Type: application/json"};
  }
  return out;
}

}  // namespace jogak::server
