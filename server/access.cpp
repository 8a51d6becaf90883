#include "server/access.h"

#include <algorithm>

namespace jogak::server {
namespace {

// "[::1]:8080" -> "::1", "localhost:8080" -> "localhost"; lower case, no dot at the end.
std::string host_of(std::string_view authority) {
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) return {};
    authority = authority.substr(1, end - 1);
  } else {
    authority = authority.substr(0, authority.find(':'));
  }
  if (authority.ends_with('.')) authority.remove_suffix(1);
  std::string out(authority);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

}  // namespace

bool same_key(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^
                                       static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]));
  return different == 0;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Access::Access(std::vector<std::string> hosts, std::vector<std::string> keys)
    : hosts_(std::move(hosts)), keys_(std::move(keys)) {
  for (std::string& host : hosts_)
    host = host_of(host.find(':') == std::string::npos ? host : "[" + host + "]");
}

bool Access::known(std::string_view host) const {
  return host == "localhost" || host == "127.0.0.1" || host == "::1" ||
         std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
}

std::optional<Refusal> Access::check_host(const Head& head) const {
  if (head.count("host") != 1) return Refusal{.message = "wanted one Host header"};
  if (known(host_of(*head.find("host")))) return {};
  return Refusal{403, "foreign_host", "this server does not answer to that name"};
}

std::optional<Refusal> Access::check_origin(const Head& head) const {
  const Refusal foreign{403, "foreign_origin", "pages of other sites may not ask this server"};
  const std::string* const site = head.find("sec-fetch-site");
  if (site && *site != "same-origin" && *site != "none") return foreign;
  const std::string* const origin = head.find("origin");
  if (!origin) return {};
  const size_t scheme = origin->find("://");
  if (scheme == std::string::npos) return foreign;
  const std::string* const host = head.find("host");
  return host && origin->substr(scheme + 3) == *host ? std::nullopt : std::optional(foreign);
}

std::optional<Refusal> Access::check_key(const Head& head) const {
  if (keys_.empty()) return {};
  constexpr std::string_view kBearer = "Bearer ";
  const std::string* const given = head.find("authorization");
  if (given && head.count("authorization") == 1 && given->starts_with(kBearer)) {
    bool known = false;  // all are compared: the time does not tell which one it was
    for (const std::string& key : keys_)
      known = same_key(std::string_view(*given).substr(kBearer.size()), key) || known;
    if (known) return {};
  }
  return Refusal{401, "no_key", "wanted Authorization: Bearer KEY with a key of the server"};
}

}  // namespace jogak::server
