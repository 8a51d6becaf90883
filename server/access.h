// Who may ask: the names this server answers to, pages of other sites, and the key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/head.h"

namespace jogak::server {

class Access {
 public:
  // `hosts`: names and addresses without ports. No `keys`: none is asked for.
  Access(std::vector<std::string> hosts, std::vector<std::string> keys);

  // A page that made its own name point here (DNS rebinding) says that name: 403.
  std::optional<Refusal> check_host(const Head& head) const;
  // A page of another site: 403. There is no CORS, so it could not read the answer; this way what
  // it asks for is not done either.
  std::optional<Refusal> check_origin(const Head& head) const;
  std::optional<Refusal> check_key(const Head& head) const;  // 401

 private:
  bool known(std::string_view host) const;

  std::vector<std::string> hosts_;
  std::vector<std::string> keys_;
};

// Compares in a time that does not tell where they differ.
bool same_key(std::string_view a, std::string_view b);

bool is_loopback(std::string_view host);  // "127.0.0.1", "localhost", "::1"

}  // namespace jogak::server
