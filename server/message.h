// What routes see of HTTP: a request, a reply, and a way to send a reply piece by piece.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/lang.h"

namespace jogak::server {

using Texts = std::map<std::string, std::string, std::less<>>;

struct Request {
  std::string method = {};  // "GET"
  std::string path = {};    // decoded, without the query: "/api/models"
  Texts query = {};
  Texts names = {};  // what stood at the {names} of the route's path
  std::string body = {};
  std::string client = {};  // who asks: the key it brought and where it comes from
  Lang lang = Lang::en;     // in which it wants to be told what is wrong

  Json json() const { return parse_json(body, "the request"); }  // FormatError with the byte
};

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool later = false;  // not this is the answer: somebody keeps the work and finishes it
};

// Thrown by routes: a status other than what the kind of an error says by itself.
struct Refused : std::runtime_error {
  Refused(int status_, std::string code_, const std::string& message)
      : std::runtime_error(message), status(status_), code(std::move(code_)) {}
  int status;
  std::string code;  // "model_not_found"
};

// A request at work. The flag is set when nobody waits for the answer any more.
class Work {
 public:
  virtual ~Work() = default;
  virtual const std::atomic<bool>& stop() const = 0;
  // Sends a piece of text/event-stream; what the route returns after that is not sent. Throws
  // Stopped when the client is gone.
  virtual void send(std::string_view piece) = 0;

  // For a route that answers from another thread, after it has returned {.later = true}: it keeps
  // the work, may send, and calls finish() once.
  virtual std::shared_ptr<Work> keep() = 0;
  virtual void finish(Reply reply) = 0;
};

Reply json_reply(const Json& json);
// {"error":{"message","code"}}
Reply error_reply(int status, std::string_view code, std::string_view message);
// By the kind of what is being handled, in the language given: called in a catch block.
Reply reply_to_exception(Lang lang = Lang::en);

}  // namespace jogak::server
