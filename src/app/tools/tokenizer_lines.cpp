// Encoding and decoding line by line. A line of output is built as text, not
// as JSON: a long line has millions of tokens.
#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <utility>

#include "app/tools/tokenizer.h"
#include "base/terminal.h"
#include "text/beginning.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

constexpr int64_t kLargestId = std::numeric_limits<int>::max();

void append_number(std::string& out, size_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

using Pieces = std::function<void(const std::function<void(const Encoding&)>&)>;

// One list of the answer, as JSON and in pieces: its text would be larger than all that it tells
// of.
template <class Append>
void write_list(const Pieces& pieces, const Sink& to, const Append& append) {
  constexpr size_t kEnough = 64 << 10;
  std::string out = "[";
  bool first = true;
  pieces([&](const Encoding& piece) {
    for (size_t i = 0; i < piece.ids.size(); ++i) {
      if (!std::exchange(first, false)) out += ',';
      append(out, piece, i);
      if (out.size() < kEnough) continue;
      to(out);
      out.clear();
    }
  });
  to(out + "]");
}

// `pieces` is asked for them three times.
void write_encoded(const Pieces& pieces, const Sink& to) {
  to("{\"ids\":");
  write_list(pieces, to, [](std::string& out, const Encoding& piece, size_t i) {
    append_number(out, static_cast<size_t>(piece.ids[i]));
  });
  to(",\"tokens\":");
  write_list(pieces, to, [](std::string& out, const Encoding& piece, size_t i) {
    out += json_quote(piece.tokens[i]);
  });
  to(",\"offsets\":");
  write_list(pieces, to, [](std::string& out, const Encoding& piece, size_t i) {
    out += '[';
    append_number(out, piece.offsets[i].from);
    out += ',';
    append_number(out, piece.offsets[i].to);
    out += ']';
  });
  to("}\n");
}

// A text of usual length is encoded once. The tokens of a long one take fifty times its memory: it
// is encoded for each list of the answer instead.
void write_encoded(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options,
                   const Sink& to) {
  constexpr size_t kLong = 1 << 20;
  if (const auto most = tokenizer.cut_after(); most && text.size() > kLong)
    text = text_beginning(tokenizer, text, *most);
  if (text.size() > kLong)
    return write_encoded([&](const auto& take) { tokenizer.encode_in_pieces(text, options, take); },
                         to);
  const Encoding whole = tokenizer.encode(text, options);
  std::string line;  // at once: whoever reads it along sees whole lines
  write_encoded([&](const auto& take) { take(whole); },
                [&](std::string_view part) { line += part; });
  to(line);
}

// Places in a line of JSON are told as places in the whole input.
[[noreturn]] void wrong_line(const LineReader& in, size_t place, const std::string& found,
                             std::string_view wanted) {
  fail<FormatError>(in.name(), ": byte ", in.offset() + place, ": line ", in.number(), ": found ",
                    found, ", wanted ", wanted);
}

std::string line_name(const LineReader& in) { return text_of(in.name(), ": line ", in.number()); }

int checked_id(const LineReader& in, size_t place, int64_t id) {
  if (id < 0 || id > kLargestId)
    wrong_line(in, place, std::to_string(id), text_of("an id from 0 to ", kLargestId));
  return static_cast<int>(id);
}

std::vector<int> ids_of_json(const LineReader& in, std::string_view line) {
  const Json json = parse_json(line, line_name(in));
  if (!json.is_array()) wrong_line(in, json.offset(), json.kind_name(), "an array of ids");
  std::vector<int> ids;
  for (const Json& id : json.items()) {
    if (!id.is_integer()) wrong_line(in, id.offset(), id.kind_name(), "a whole number");
    ids.push_back(checked_id(in, id.offset(), id.integer()));
  }
  return ids;
}

std::vector<int> ids_of_text(const LineReader& in, std::string_view line) {
  constexpr std::string_view kBetween = " \t\r,";
  std::vector<int> ids;
  for (size_t at = line.find_first_not_of(kBetween); at != std::string_view::npos;
       at = line.find_first_not_of(kBetween, at)) {
    const size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    int64_t id = 0;
    const auto [stop, error] = std::from_chars(word.begin(), word.end(), id);
    if (error != std::errc() || stop != word.end()) wrong_line(in, at, quoted(word), "an id");
    ids.push_back(checked_id(in, at, id));
    at = end;
  }
  return ids;
}

}  // namespace

void encode_lines(const EncodeLines& how, LineReader& in, const Sink& out) {
  const Tokenizer tokenizer = Tokenizer::load(how.tokenizer);
  const EncodeOptions options{.add_special = how.special, .limits = true};
  const auto encode = [&](std::string_view text) {
    try {
      write_encoded(tokenizer, text, options, out);
    } catch (const FormatError& error) {  // the text is sound: what is done to it is not
      fail<FormatError>(how.tokenizer, ": ", error.what());
    }
  };
  for (std::string_view line; in.next(line);) {
    ensure_utf8(in, line);
    if (!how.jsonl) {
      encode(line);
      continue;
    }
    const Json json = parse_json(line, line_name(in));
    if (!json.is_string()) wrong_line(in, json.offset(), json.kind_name(), "a string");
    encode(json.text());
  }
}

void decode_lines(const DecodeLines& how, LineReader& in, const Sink& out) {
  const Tokenizer tokenizer = Tokenizer::load(how.tokenizer);
  for (std::string_view line; in.next(line);) {
    ensure_utf8(in, line);
    const std::vector<int> ids = how.jsonl ? ids_of_json(in, line) : ids_of_text(in, line);
    const std::string text = tokenizer.decode(ids, !how.keep_special);
    out((how.jsonl ? json_quote(text) : text) + "\n");
  }
}

}  // namespace jogak
