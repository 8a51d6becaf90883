#include "server/message.h"

#include <new>

#include "base/error.h"
#include "base/korean/message.h"

namespace jogak::server {

Reply json_reply(const Json& json) { return {.body = json.dump() + "\n"}; }

Reply error_reply(int status, std::string_view code, std::string_view message) {
  Json error = Json::object();
  error.set("message", message).set("code", code);
  Reply out = json_reply(Json::object({{"error", std::move(error)}}));
  out.status = status;
  return out;
}

Reply reply_to_exception(Lang lang) {
  const auto told = [lang](int status, std::string_view code, const char* message) {
    return error_reply(status, code, lang == Lang::ko ? in_korean(message) : message);
  };
  try {
    throw;
  } catch (const Refused& error) {
    return told(error.status, error.code, error.what());
  } catch (const Stopped& error) {
    return told(499, "stopped", error.what());
  } catch (const UsageError& error) {
    return told(400, "invalid_request", error.what());
  } catch (const FormatError& error) {
    return told(400, "invalid_input", error.what());
  } catch (const MissingError& error) {
    return told(404, "not_found", error.what());
  } catch (const DeviceError& error) {
    return told(503, "out_of_memory", error.what());
  } catch (const std::bad_alloc&) {
    return told(503, "out_of_memory", "out of memory");
  } catch (const std::exception& error) {
    return told(500, "internal", error.what());
  }
}

}  // namespace jogak::server
