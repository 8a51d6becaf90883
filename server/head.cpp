#include "server/head.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace jogak::server {
namespace {

bool is_token(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return c != 0 && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_tokens(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

Refusal bad(std::string message) { return {.message = std::move(message)}; }

// "GET /path HTTP/1.1"; empty when it is one.
std::variant<Head, Refusal> parse_line(std::string_view line) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return bad("found no \"METHOD PATH HTTP/1.1\" in the first line");
  Head out;
  out.method = line.substr(0, first);
  out.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_tokens(out.method)) return bad("found a method that is not a word");
  if (!version.starts_with("HTTP/")) return bad("found no HTTP version in the first line");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return Refusal{505, "version_not_supported", "wanted HTTP/1.1"};
  out.minor = version.back() - '0';
  const auto printable = [](char c) { return c > ' ' && c < 0x7f; };
  if (out.target.empty() || !std::all_of(out.target.begin(), out.target.end(), printable))
    return bad("found a blank or a control character in the path");
  return out;
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool decode(std::string_view text, bool plus, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return false;
    const int code = hex(text[i + 1]) * 16 + hex(text[i + 2]);
    if (code < 0x20 || code == 0x7f) return false;
    out += static_cast<char>(code);
    i += 2;
  }
  return true;
}

bool parse_query(std::string_view text, Texts& out) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    const size_t equals = std::min(part.find('='), part.size());
    std::string name, value;
    if (!decode(part.substr(0, equals), true, name)) return false;
    if (!decode(part.substr(std::min(equals + 1, part.size())), true, value)) return false;
    out[name] = value;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

const std::string* Head::find(std::string_view name) const {
  for (const auto& [key, value] : fields)
    if (key == name) return &value;
  return nullptr;
}

size_t Head::count(std::string_view name) const {
  return static_cast<size_t>(
      std::count_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; }));
}

HeadReader::State HeadReader::refuse(int status, const char* code, std::string message) {
  refusal_ = {status, code, std::move(message)};
  return State::refused;
}

static constexpr std::string_view kKeyLine = "authorization:";

HeadReader::State HeadReader::take(std::string_view all) {
  for (; seen_ < all.size(); ++seen_) {
    const char c = all[seen_];
    if (lines_ == 0 && seen_ >= kLongestLine)
      return refuse(414, "uri_too_long",
                    text_of("the first line is over ", kLongestLine, " bytes"));
    // A key of that size is nobody's: as any wrong one.
    if (seen_ >= kLongestHead && lower(all.substr(line_, kKeyLine.size())) == kKeyLine)
      return refuse(401, "no_key", text_of("a key of more than ", kLongestHead, " bytes is none"));
    if (seen_ >= kLongestHead)
      return refuse(431, "headers_too_large", text_of("the head is over ", kLongestHead, " bytes"));
    const bool returned = seen_ > 0 && all[seen_ - 1] == '\r';
    if (returned != (c == '\n'))
      return refuse(400, "bad_request",
                    text_of("byte ", seen_, ": lines of a head end with CR LF"));
    if (c == '\r') continue;
    if (c != '\n') {
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
        return refuse(400, "bad_request", text_of("byte ", seen_, ": a control character"));
      continue;
    }
    const std::string_view line = all.substr(line_, seen_ - 1 - line_);
    if (lines_ == 0) {
      const auto parsed = parse_line(line);
      if (const auto* wrong = std::get_if<Refusal>(&parsed)) {
        refusal_ = *wrong;
        return State::refused;
      }
    } else if (line.empty()) {
      ++seen_;
      return State::whole;
    }
    if (lines_++ > kMostFields)
      return refuse(431, "headers_too_large", text_of("more than ", kMostFields, " headers"));
    line_ = seen_ + 1;
  }
  return State::more;
}

std::variant<Head, Refusal> parse_head(std::string_view bytes) {
  size_t end = bytes.find("\r\n");
  auto out = parse_line(bytes.substr(0, std::min(end, bytes.size())));
  if (std::holds_alternative<Refusal>(out)) return out;
  Head& head = std::get<Head>(out);
  while (end != std::string_view::npos) {
    const size_t begin = end + 2;
    end = bytes.find("\r\n", begin);
    if (end == std::string_view::npos || end == begin) break;
    const std::string_view line = bytes.substr(begin, end - begin);
    const size_t colon = line.find(':');
    // A blank before the colon or at the start of a line means one thing here and another there.
    if (colon == std::string_view::npos || !is_tokens(line.substr(0, colon)))
      return bad("found a header line that is not \"Name: value\"");
    head.fields.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return out;
}

std::variant<Framing, Refusal> framing_of(const Head& head) {
  Framing out;
  const std::string* const length = head.find("content-length");
  const std::string* const coding = head.find("transfer-encoding");
  if (head.count("content-length") > 1) return bad("found two Content-Length headers");
  if (length && coding) return bad("found both Content-Length and Transfer-Encoding");
  if (coding) {
    if (head.minor == 0) return bad("found Transfer-Encoding in HTTP/1.0");
    if (head.count("transfer-encoding") > 1 || lower(*coding) != "chunked")
      return bad("wanted Transfer-Encoding: chunked");
    out.chunked = true;
  }
  if (length) {
    const char* const last = length->data() + length->size();
    const auto [end, error] = std::from_chars(length->data(), last, out.length);
    if (length->empty() || (*length)[0] == '+' || (*length)[0] == '-' || end != last ||
        error == std::errc::invalid_argument)
      return bad("Content-Length: wanted a whole number");
    if (error != std::errc())
      return Refusal{413, "body_too_large", "Content-Length: larger than any body here"};
  }
  if (const std::string* expected = head.find("expect")) {
    if (lower(*expected) != "100-continue")
      return Refusal{417, "expectation_failed", "Expect: wanted 100-continue"};
    out.expects = head.minor == 1;
  }
  const std::string* const packed = head.find("content-encoding");
  if (packed && lower(*packed) != "identity")
    return Refusal{415, "unsupported_encoding", "Content-Encoding: bodies are read plain only"};
  const std::string* const connection = head.find("connection");
  const std::string wish = connection ? lower(*connection) : "";
  out.stays = head.minor == 1 ? wish.find("close") == std::string::npos
                              : wish.find("keep-alive") != std::string::npos;
  return out;
}

std::variant<Target, Refusal> parse_target(std::string_view target) {
  const Refusal none{404, "not_found", "no such path"};
  const size_t question = std::min(target.find('?'), target.size());
  Target out;
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos) return none;
  if (!decode(target.substr(0, question), false, out.path)) return none;
  if (out.path.find("//") != std::string::npos || out.path.find('\\') != std::string::npos)
    return none;
  if ((out.path + "/").find("/../") != std::string::npos ||
      (out.path + "/").find("/./") != std::string::npos)
    return none;
  if (!parse_query(target.substr(std::min(question + 1, target.size())), out.query))
    return bad("found a query that is not percent-encoded text");
  return out;
}

}  // namespace jogak::server
