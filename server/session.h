// One connection: requests read, worked on and answered, one after the other. Included by http.cpp
// alone, see wire.h.
#pragma once

#include <set>

#include "server/admit.h"
#include "server/body.h"
#include "server/limits.h"
#include "server/wire.h"
#include "server/workers.h"

namespace jogak::server {

class Session;

struct House {  // what connections share
  const HttpLimits& limits;
  const Routes& routes;
  const Access& access;
  Workers& workers;
  std::set<Session*> sessions = {};
  bool draining = false;
};

class Session {
 public:
  Session(House& house, Wire& wire) : house_(house), wire_(wire) { house_.sessions.insert(this); }
  ~Session() {
    forget_job();
    house_.sessions.erase(this);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Task<> run();
  void leave_if_idle() {
    if (idle_) wire_.close();
  }
  void give_up() {
    if (job_) job_->give_up();
    wire_.close();
  }

 private:
  static constexpr size_t kPiece = 32 << 10;  // of a body, read at once

  // False: the connection is over, and what was to be said has been said.
  Task<bool> read_head(Head& head);
  Task<bool> serve_one(const Head& head);
  Task<bool> read_body(const Framing& framing, size_t most, std::string& body);
  Task<bool> answer(const Route& route, const std::shared_ptr<const Request>& request, bool stays);
  Task<bool> wait_for(Job& job, Clock::time_point end);
  Task<bool> stream(Job& job, Job::Said& said, Clock::time_point end);
  Task<bool> write(Reply& reply, bool stays, bool head_only = false);
  Task<bool> write_bytes(const std::string& bytes);
  Task<bool> refuse(const Refusal& refusal);

  void forget_job() {
    if (job_) job_->forget();
    job_ = nullptr;
  }

  House& house_;
  Wire& wire_;
  bool idle_ = true, first_ = true;
  int minor_ = 1;  // of HTTP/1.
  std::shared_ptr<Job> job_;
};

inline Task<> Session::run() {
  for (;;) {
    Head head;
    if (!co_await read_head(head)) break;
    const bool stays = co_await serve_one(head);
    forget_job();
    if (!stays || house_.draining) break;
    first_ = false;
  }
  co_await wire_.linger();
}

inline Task<bool> Session::read_head(Head& head) {
  HeadReader reader;
  idle_ = wire_.bytes().empty();
  wire_.arm(first_ || !idle_ ? house_.limits.head : house_.limits.idle);
  for (;;) {
    const std::string_view all = wire_.bytes();
    const auto state = all.empty() ? HeadReader::State::more : reader.take(all);
    if (state == HeadReader::State::refused) {
      wire_.disarm();
      co_return co_await refuse(reader.refusal());
    }
    if (state == HeadReader::State::whole) {
      wire_.disarm();
      auto parsed = parse_head(all.substr(0, reader.size()));
      if (const auto* wrong = std::get_if<Refusal>(&parsed)) co_return co_await refuse(*wrong);
      wire_.consume(reader.size());
      head = std::move(std::get<Head>(parsed));
      minor_ = head.minor;
      idle_ = false;
      co_return true;
    }
    if (!co_await wire_.read(4096)) {
      wire_.disarm();
      const bool waited = idle_ && !first_;  // a connection that waited for more may just go
      const Refusal late{408, "timeout", "the request did not come in time"};
      if (wire_.late() && !waited) co_await refuse(late);
      co_return false;
    }
    if (idle_) idle_ = false, wire_.arm(house_.limits.head);
  }
}

inline Task<bool> Session::serve_one(const Head& head) {
  auto admitted = admit(head, house_.routes, house_.access);
  if (const auto* wrong = std::get_if<Refusal>(&admitted)) co_return co_await refuse(*wrong);
  Admitted& asked = std::get<Admitted>(admitted);
  const auto request = std::make_shared<Request>(std::move(asked.request));
  request->client += wire_.peer();
  if (!co_await read_body(asked.framing, asked.route->most_body, request->body)) co_return false;
  co_return co_await answer(*asked.route, request, asked.framing.stays);
}

inline Task<bool> Session::read_body(const Framing& framing, size_t most, std::string& body) {
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  if (framing.expects && wire_.bytes().empty() && !co_await write_bytes(go_on)) co_return false;
  BodyReader reader(framing, most);
  wire_.arm(house_.limits.body);
  for (;;) {
    std::string_view bytes = wire_.bytes();
    const size_t held = bytes.size();
    const auto state = reader.take(bytes);
    wire_.consume(held - bytes.size());
    if (state == BodyReader::State::whole) break;
    bool cut = false;
    if (state == BodyReader::State::more) {
      cut = !co_await wire_.read(kPiece);
      if (!cut) continue;
    }
    wire_.disarm();
    Refusal wrong = reader.refusal();
    if (cut) wrong.message = "the body ended before its end";
    if (wire_.late()) wrong = {408, "timeout", "the body did not come in time"};
    co_return co_await refuse(wrong);
  }
  wire_.disarm();
  body = std::move(reader.body());
  co_return true;
}

inline Task<bool> Session::answer(const Route& route, const std::shared_ptr<const Request>& request,
                                  bool stays) {
  const bool head_only = request->method == "HEAD";
  if (route.quick) {
    Reply reply = answer_at_once(route, *request);
    co_return co_await write(reply, stays, head_only);
  }
  job_ = std::make_shared<Job>(wire_.waker());
  if (!house_.workers.begin(route, request, job_)) {
    Reply busy = too_busy();
    co_return co_await write(busy, stays, head_only);
  }
  const auto end = Clock::now() + house_.limits.work;
  if (!co_await wait_for(*job_, end)) co_return false;
  Job::Said said = job_->take();
  if (said.streams) co_return co_await stream(*job_, said, end) && stays;
  co_return co_await write(said.reply, stays, head_only);
}

// Until there is something to send. False: the client has left.
inline Task<bool> Session::wait_for(Job& job, Clock::time_point end) {
  while (!job.has_said()) {
    co_await wire_.sleep(house_.limits.look);
    if (Clock::now() > end) job.give_up();
    if (wire_.left()) {
      job.give_up();
      co_return false;
    }
  }
  co_return true;
}

inline Task<bool> Session::stream(Job& job, Job::Said& said, Clock::time_point end) {
  const bool chunks = minor_ == 1;
  std::string bytes = head_of_stream(minor_);
  for (;;) {
    if (!said.pieces.empty()) bytes += chunks ? chunk_of(said.pieces) : said.pieces;
    if (said.done && chunks) bytes += kLastChunk;
    if (!co_await write_bytes(bytes)) break;
    if (said.done) co_return chunks;
    bytes.clear();
    if (!co_await wait_for(job, end)) co_return false;
    said = job.take();
  }
  job.give_up();
  co_return false;
}

inline Task<bool> Session::write_bytes(const std::string& bytes) {
  wire_.arm(house_.limits.write);
  const bool sent = co_await wire_.write(bytes);
  wire_.disarm();
  co_return sent;
}

inline Task<bool> Session::refuse(const Refusal& refusal) {
  Reply reply = error_reply(refusal.status, refusal.code, refusal.message);
  co_await write(reply, false);
  co_return false;
}

inline Task<bool> Session::write(Reply& reply, bool stays, bool head_only) {
  stays = stays && !house_.draining;
  http::response<http::string_body> out;
  out.version(10 + static_cast<unsigned>(minor_));
  out.result(static_cast<unsigned>(reply.status));
  if (reply.status == 499) out.reason("Client Left");  // the others have names of their own
  for (const auto& [name, value] : headers_of(reply)) out.set(name, value);
  out.keep_alive(stays);
  out.content_length(reply.body.size());
  const auto megabytes = static_cast<int64_t>(reply.body.size() >> 20);
  if (!head_only) out.body() = std::move(reply.body);
  wire_.arm(house_.limits.write * (1 + megabytes / 8));
  const bool sent = co_await wire_.write(out);
  wire_.disarm();
  co_return stays&& sent;
}

}  // namespace jogak::server
