#include "group/meet.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace jogak {
namespace {

constexpr int64_t kProtocol = 1;
constexpr double kAnswer = 10;  // seconds for one message of somebody who is there

struct Guest {  // a process as the first knows it
  Socket line;
  std::string address, host;
  int64_t port = 0, pid = 0;
};

std::string name_of(int64_t index, int64_t count, int64_t pid, const std::string& host) {
  return text_of("process ", index + 1, " of ", count, " (pid ", pid, " on ", host, ")");
}

std::string text_in(const Json& message, const char* key) {
  const Json* const found = message.find(key);
  return found && found->is_string() ? found->text() : "";
}

int64_t number_in(const Json& message, const char* key) {
  const Json* const found = message.find(key);
  return found && found->is_integer() ? found->integer() : -1;
}

Json hello(const Meeting& m, uint16_t port) {
  Json facts = Json::object();
  for (const auto& [name, value] : m.facts) facts.set(name, value);
  return Json::object({{"jogak", kProtocol},
                       {"key", m.key},
                       {"index", m.self.index},
                       {"count", m.self.count},
                       {"pid", static_cast<int64_t>(::getpid())},
                       {"host", machine_name()},
                       {"port", static_cast<int64_t>(port)},
                       {"facts", std::move(facts)}});
}

// The first line in which two texts differ, of each.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  size_t from = 0;
  while (true) {
    const size_t to_a = std::min(a.find('\n', from), a.size());
    const size_t to_b = std::min(b.find('\n', from), b.size());
    const std::string one = a.substr(std::min(from, a.size()), to_a - from);
    const std::string two = b.substr(std::min(from, b.size()), to_b - from);
    if (one != two || to_a >= a.size() || to_b >= b.size())
      return {one.empty() ? "nothing" : one, two.empty() ? "nothing" : two};
    from = to_a + 1;
  }
}

// Why this guest cannot take part; empty: it can.
std::string refusal(const Meeting& m, const Json& said, const std::string& name) {
  if (number_in(said, "count") != m.self.count)
    return text_of(name, ": is one of ", number_in(said, "count"), " processes, wanted one of ",
                   m.self.count);
  const Json* const facts = said.find("facts");
  for (const auto& [fact, wanted] : m.facts) {
    const std::string found = facts ? text_in(*facts, fact.c_str()) : "";
    if (found == wanted) continue;
    const auto [theirs, ours] = first_difference(found, wanted);
    return text_of(name, ": has another ", fact, " than the first: found ", theirs, ", wanted ",
                   ours);
  }
  return "";
}

void refuse(std::vector<Guest>& guests, const std::string& why) {
  for (const Guest& guest : guests)
    if (guest.line.open())
      send_message(guest.line, Json::object({{"refused", why}}), Patience::seconds(1));
  fail<UsageError>(why);
}

[[noreturn]] void nobody_came(const std::vector<Guest>& guests, double patience) {
  std::string missing;
  for (size_t i = 1; i < guests.size(); ++i)
    if (!guests[i].line.open()) missing += text_of(missing.empty() ? "" : ", ", i + 1);
  fail<Error>("waited ", patience, " s for the other processes: of ", guests.size(), " number ",
              missing, " did not come");
}

std::vector<Guest> receive_guests(const Meeting& m, const Patience& patience) {
  std::vector<Guest> guests(static_cast<size_t>(m.self.count));
  guests[0].host = machine_name();
  guests[0].pid = ::getpid();
  guests[0].port = m.listener.port();
  std::string refused;  // told to all of them, those who come later, too
  Patience waits = patience;
  for (int64_t there = 1; there < m.self.count;) {
    Guest guest;
    guest.line = accept_from(m.listener, waits);
    if (!guest.line.open() && !refused.empty()) break;
    if (!guest.line.open()) nobody_came(guests, m.patience);
    const Json said = receive_message(guest.line, Patience::seconds(kAnswer, m.stop));
    if (number_in(said, "jogak") != kProtocol || text_in(said, "key") != m.key) continue;
    const int64_t index = number_in(said, "index");
    guest.host = text_in(said, "host"), guest.address = guest.line.peer();
    guest.port = number_in(said, "port"), guest.pid = number_in(said, "pid");
    const std::string name = name_of(index, m.self.count, guest.pid, guest.host);
    std::string why = refusal(m, said, name);
    const bool fits = index > 0 && index < m.self.count;
    if (why.empty() && (!fits || guests[static_cast<size_t>(index)].line.open()))
      why = text_of(name, ": this number is ", fits ? "taken" : "none of theirs");
    ++there;
    if (why.empty()) {
      guests[static_cast<size_t>(index)] = std::move(guest);
      continue;
    }
    guests.push_back(std::move(guest));
    if (refused.empty()) refused = why, waits = Patience::seconds(kAnswer, m.stop);
  }
  if (!refused.empty()) refuse(guests, refused);
  return guests;
}

Json table_of(const std::vector<Guest>& guests) {
  Json rows = Json::array();
  for (const Guest& guest : guests)
    rows.push(Json::object({{"address", guest.address},
                            {"host", guest.host},
                            {"port", guest.port},
                            {"pid", guest.pid}}));
  return Json::object({{"table", std::move(rows)}});
}

Socket reach_first(const Meeting& m, const Patience& patience) {
  while (true) {
    for (const std::string& host : m.hosts) {
      const bool alone = m.hosts.size() == 1;
      Socket out = connect_to(host, m.port, alone ? patience : Patience::seconds(1, m.stop));
      if (out.open()) return out;
    }
    ensure<Error>(!patience.over(), "waited ", m.patience, " s for the first process: nobody at ",
                  m.hosts.empty() ? "" : m.hosts[0], ":", m.port);
  }
}

std::vector<Guest> visit_first(const Meeting& m, uint16_t own_port, const Patience& patience) {
  const Socket line = reach_first(m, patience);
  send_message(line, hello(m, own_port), Patience::seconds(kAnswer, m.stop));
  const Json answer = receive_message(line, patience);
  const std::string why = text_in(answer, "refused");
  ensure<UsageError>(why.empty(), why);
  const Json* const table = answer.find("table");
  ensure<Error>(
      table && table->is_array() && table->items().size() == static_cast<size_t>(m.self.count),
      "the first process ended before the work began; its message says why");
  std::vector<Guest> out;
  for (const Json& row : table->items()) {
    Guest guest;
    guest.host = text_in(row, "host"), guest.address = text_in(row, "address");
    guest.port = number_in(row, "port"), guest.pid = number_in(row, "pid");
    // What is on the first's own machine is reached as the first is.
    if (guest.address.empty() || guest.address.starts_with("127.")) guest.address = line.peer();
    out.push_back(std::move(guest));
  }
  return out;
}

struct LinkMaker {
  const Meeting& m;
  const Socket& listener;
  Patience patience;
  std::vector<Member>& members;

  void reach(const Guest& guest, int64_t index, bool data) const {
    Member& member = members[static_cast<size_t>(index)];
    Socket line = connect_to(guest.address, static_cast<uint16_t>(guest.port), patience);
    const bool sent =
        line.open() &&
        send_message(line, Json::object({{"key", m.key}, {"link", data}, {"index", m.self.index}}),
                     Patience::seconds(kAnswer, m.stop));
    ensure<Error>(sent, member.name, ": cannot be reached at ", guest.address, ":", guest.port);
    (data ? member.data : member.control) = std::move(line);
  }

  // One connection of somebody with a higher number.
  void await() const {
    while (true) {
      Socket line = accept_from(listener, patience);
      ensure<Error>(line.open(), "waited ", m.patience, " s for the other processes' connections");
      const Json said = receive_message(line, Patience::seconds(kAnswer, m.stop));
      const int64_t index = number_in(said, "index");
      const Json* const link = said.find("link");
      if (text_in(said, "key") != m.key || !link || !link->is_bool()) continue;
      if (index <= m.self.index || index >= m.self.count) continue;
      Member& member = members[static_cast<size_t>(index)];
      (link->boolean() ? member.data : member.control) = std::move(line);
      return;
    }
  }
};

}  // namespace

std::string machine_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string random_key() {
  unsigned char bytes[16];
  ensure<IoError>(::getrandom(bytes, sizeof bytes, 0) == sizeof bytes, "no random numbers");
  std::string out;
  for (const unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    out += digits;
  }
  return out;
}

std::vector<Member> meet(Meeting m) {
  const Patience patience = Patience::seconds(m.patience, m.stop);
  Socket own;  // where those with higher numbers come to
  if (!m.self.is_first()) own = listen_on("0.0.0.0", 0);
  const Socket& listener = m.self.is_first() ? m.listener : own;
  std::vector<Guest> guests =
      m.self.is_first() ? receive_guests(m, patience) : visit_first(m, own.port(), patience);
  std::vector<Member> members(guests.size());
  for (size_t i = 0; i < guests.size(); ++i) {
    members[i].name = name_of(static_cast<int64_t>(i), m.self.count, guests[i].pid, guests[i].host);
    members[i].host = guests[i].host, members[i].pid = guests[i].pid;
  }
  if (m.self.is_first()) {
    const Json table = table_of(guests);
    for (const Guest& guest : guests)
      if (guest.line.open()) send_message(guest.line, table, Patience::seconds(kAnswer, m.stop));
  }
  const LinkMaker links{m, listener, patience, members};
  const int kinds = m.with_data ? 2 : 1;
  for (int64_t lower = 0; lower < m.self.index; ++lower)
    for (int kind = 0; kind < kinds; ++kind)
      links.reach(guests[static_cast<size_t>(lower)], lower, kind == 1);
  for (int64_t i = 0; i < (m.self.count - 1 - m.self.index) * kinds; ++i) links.await();
  return members;
}

}  // namespace jogak
