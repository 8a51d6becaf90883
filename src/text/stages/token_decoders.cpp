// Decoders that look at one token at a time, knowing little of the others.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "text/reading.h"
#include "text/stages/decoder.h"
#include "text/stages/growth.h"
#include "text/stages/metaspace.h"
#include "text/stages/pattern.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  size_t done = 0;
  if (what.empty()) {  // is found around every character
    for (size_t at = 0; at < text.size(); at = done) {
      done = at + static_cast<size_t>(size_from_first(text[at]));
      (out += with) += text.substr(at, done - at);
    }
    return out += with;
  }
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, done)) {
    out += text.substr(done, at - done);
    out += with;
    done = at + what.size();
  }
  return out += text.substr(done);
}

// Spaces that tokens leave before punctuation and short forms.
std::string cleaned_up(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  if (text.find(' ') == std::string::npos) return text;
  for (const auto& [what, with] : kRules)
    if (text.find(what) != std::string::npos) text = replaced(text, what, with);
  return text;
}

class WordPieceDecoder : public Decoder {
 public:
  WordPieceDecoder(std::string prefix, bool cleanup)
      : prefix_(std::move(prefix)), cleanup_(cleanup) {}
  std::unique_ptr<Pass> start() const override {
    struct One : Pass {
      explicit One(const WordPieceDecoder& owner) : of(owner) {}
      void push(std::string_view token, TextSink out) override {
        std::string text;
        if (!std::exchange(first, false)) {
          if (token.starts_with(of.prefix_)) {
            token.remove_prefix(of.prefix_.size());
          } else {
            text = " ";
          }
        }
        text += token;
        out(of.cleanup_ ? cleaned_up(std::move(text)) : text);
      }
      const WordPieceDecoder& of;
      bool first = true;
    };
    return std::make_unique<One>(*this);
  }
  Json to_json() const override {
    return Json::object({{"type", "WordPiece"}, {"prefix", prefix_}, {"cleanup", cleanup_}});
  }

 private:
  std::string prefix_;
  bool cleanup_;
};

class MetaspaceDecoder : public Decoder {
 public:
  explicit MetaspaceDecoder(MetaspaceOptions options) : options_(std::move(options)) {}
  std::unique_ptr<Pass> start() const override { return std::make_unique<One>(*this, false); }
  std::unique_ptr<Pass> start_joined() const override { return std::make_unique<One>(*this, true); }
  Json to_json() const override { return metaspace_json(options_); }

 private:
  struct One : Pass {
    One(const MetaspaceDecoder& owner, bool is_joined) : of(owner), joined(is_joined) {}
    void push(std::string_view token, TextSink out) override {
      const bool opens = std::exchange(first, joined);
      const bool drops = opens && of.options_.prepend != MetaspaceOptions::Prepend::never;
      out(replaced(token, of.options_.replacement, drops ? "" : " "));
    }
    const MetaspaceDecoder& of;
    bool joined, first = true;
  };
  MetaspaceOptions options_;
};

// Marks at the end of a word are spaces, except at the end of the text.
class BpeDecoder : public Decoder {
 public:
  explicit BpeDecoder(std::string suffix) : suffix_(std::move(suffix)) {}
  std::unique_ptr<Pass> start() const override {
    struct One : Pass {
      explicit One(const std::string& ends) : suffix(ends) {}
      void push(std::string_view token, TextSink out) override {
        if (held) out(replaced(*held, suffix, " "));
        held.reset();
        if (token.find(suffix) == std::string_view::npos) return out(token);
        held = token;  // whether another one follows is not known yet
      }
      void finish(TextSink out) override {
        if (held) out(replaced(*held, suffix, ""));
        held.reset();
      }
      const std::string& suffix;
      std::optional<std::string> held;
    };
    return std::make_unique<One>(suffix_);
  }
  Json to_json() const override {
    return Json::object({{"type", "BPEDecoder"}, {"suffix", suffix_}});
  }

 private:
  std::string suffix_;
};

class CtcDecoder : public Decoder {
 public:
  CtcDecoder(std::string pad, std::string delimiter, bool cleanup)
      : pad_(std::move(pad)), delimiter_(std::move(delimiter)), cleanup_(cleanup) {}
  std::unique_ptr<Pass> start() const override {
    struct One : Pass {
      explicit One(const CtcDecoder& owner) : of(owner) {}
      void push(std::string_view token, TextSink out) override {
        if (last && *last == token) return;
        last = token;
        std::string text = replaced(token, of.pad_, "");
        if (of.cleanup_) text = replaced(cleaned_up(std::move(text)), of.delimiter_, " ");
        if (!text.empty()) out(text);
      }
      const CtcDecoder& of;
      std::optional<std::string> last;
    };
    return std::make_unique<One>(*this);
  }
  Json to_json() const override {
    return Json::object({{"type", "CTC"},
                         {"pad_token", pad_},
                         {"word_delimiter_token", delimiter_},
                         {"cleanup", cleanup_}});
  }

 private:
  std::string pad_, delimiter_;
  bool cleanup_;
};

// The byte that "<0x61>" stands for, -1 when the token is another.
int fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with(">")) return -1;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  const int high = token[3] == '+' ? 0 : digit(token[3]), low = digit(token[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// A run of byte tokens is the text they spell, or U+FFFD for each if they spell none; so nothing
// of a run is final before it ends.
class ByteFallbackDecoder : public Decoder {
 public:
  std::unique_ptr<Pass> start() const override {
    struct One : Pass {
      void push(std::string_view token, TextSink out) override {
        if (const int byte = fallback_byte(token); byte >= 0) {
          bytes += static_cast<char>(byte);
          return;
        }
        finish(out);
        out(token);
      }
      void finish(TextSink out) override {
        if (bytes.empty()) return;
        if (utf8::first_invalid(bytes) == std::string_view::npos) {
          out(bytes);
        } else {
          for (size_t i = 0; i < bytes.size(); ++i) out("\uFFFD");
        }
        bytes.clear();
      }
      std::string bytes;
    };
    return std::make_unique<One>();
  }
  Json to_json() const override { return Json::object({{"type", "ByteFallback"}}); }
};

class StripDecoder : public Decoder {
 public:
  StripDecoder(std::string content, size_t from_start, size_t from_end)
      : content_(std::move(content)), from_start_(from_start), from_end_(from_end) {}
  std::unique_ptr<Pass> start() const override {
    struct One : Pass {
      explicit One(const StripDecoder& owner) : of(owner) {}
      void push(std::string_view token, TextSink out) override {
        for (size_t i = 0; i < of.from_start_ && token.starts_with(of.content_); ++i)
          token.remove_prefix(of.content_.size());
        for (size_t i = 0; i < of.from_end_ && token.ends_with(of.content_); ++i)
          token.remove_suffix(of.content_.size());
        out(token);
      }
      const StripDecoder& of;
    };
    return std::make_unique<One>(*this);
  }
  std::unique_ptr<Pass> start_joined() const override {
    struct Stream : Pass {
      explicit Stream(const StripDecoder& owner) : of(owner) {}
      void push(std::string_view part, TextSink out) override {
        for (; opening < of.from_start_ && part.starts_with(of.content_); ++opening)
          part.remove_prefix(of.content_.size());
        if (part.empty()) return;
        opening = of.from_start_;
        // What may be the end is held back.
        size_t ends = 0;
        std::string_view body = part;
        for (; body.ends_with(of.content_); ++ends) body.remove_suffix(of.content_.size());
        if (body.empty()) {
          held += ends;
          return;
        }
        release(held, out);
        out(body);
        held = ends;
      }
      void finish(TextSink out) override { release(held - std::min(held, of.from_end_), out); }
      void release(size_t count, TextSink out) {
        for (size_t i = 0; i < count; ++i) out(of.content_);
        held = 0;
      }
      const StripDecoder& of;
      size_t opening = 0, held = 0;  // how many were taken off, and are held back
    };
    return std::make_unique<Stream>(*this);
  }
  Json to_json() const override {
    return Json::object(
        {{"type", "Strip"}, {"content", content_}, {"start", from_start_}, {"stop", from_end_}});
  }

 private:
  std::string content_;  // one character
  size_t from_start_, from_end_;
};

class ReplaceDecoder : public Decoder {
 public:
  ReplaceDecoder(std::unique_ptr<Pattern> pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  std::unique_ptr<Pass> start() const override {
    struct One : Pass {
      explicit One(const ReplaceDecoder& owner) : of(owner) {}
      void push(std::string_view token, TextSink out) override {
        std::string text;
        size_t done = 0, added = 0;
        if (!token.empty())
          of.pattern_->find(token, [&](Span match) {
            added += of.content_.size();
            limit_growth("decode", token.size(), added);
            text += token.substr(done, match.from - done);
            text += of.content_;
            done = match.to;
          });
        text += token.substr(done);
        out(text);
      }
      const ReplaceDecoder& of;
    };
    return std::make_unique<One>(*this);
  }
  std::unique_ptr<Pass> start_joined() const override {
    if (pattern_->literal().empty()) return Decoder::start_joined();
    return std::make_unique<Stream>(pattern_->literal(), content_);
  }
  Json to_json() const override {
    return Json::object(
        {{"type", "Replace"}, {"pattern", pattern_->to_json()}, {"content", content_}});
  }

 private:
  // Only what may be the start of the string is held back.
  struct Stream : Pass {
    Stream(std::string_view literal, const std::string& content) : what(literal), with(content) {}
    void push(std::string_view part, TextSink out) override {
      held += part;
      size_t done = 0, added = 0;
      for (size_t at = held.find(what); at != std::string::npos; at = held.find(what, done)) {
        out(std::string_view(held).substr(done, at - done));
        added += with.size();
        limit_growth("decode", held.size(), added);
        out(with);
        done = at + what.size();
      }
      const std::string_view rest = std::string_view(held).substr(done);
      size_t kept = std::min(rest.size(), what.size() - 1);
      while (kept > 0 && !what.starts_with(rest.substr(rest.size() - kept))) --kept;
      out(rest.substr(0, rest.size() - kept));
      held.erase(0, held.size() - kept);
    }
    void finish(TextSink out) override { out(std::exchange(held, {})); }
    std::string_view what;
    const std::string& with;
    std::string held;
  };
  std::unique_ptr<Pattern> pattern_;
  std::string content_;
};

std::unique_ptr<Decoder> read_strip_decoder(const Fields& fields) {
  only_keys(fields, {"type", "content", "start", "stop"});
  const std::string& content = fields.text("content");
  if (utf8::count(content) != 1) fields.wrong(fields.at("content"), "content", "one character");
  return std::make_unique<StripDecoder>(content, fields.integer("start", {0, INT32_MAX}),
                                        fields.integer("stop", {0, INT32_MAX}));
}

}  // namespace

std::unique_ptr<Decoder> make_word_piece_decoder(std::string prefix, bool cleanup) {
  return std::make_unique<WordPieceDecoder>(std::move(prefix), cleanup);
}

std::unique_ptr<Decoder> read_token_decoder(const Fields& fields, const std::string& type) {
  if (type == "Strip") return read_strip_decoder(fields);
  if (type == "Metaspace") return std::make_unique<MetaspaceDecoder>(read_metaspace(fields));
  if (type == "WordPiece") {
    only_keys(fields, {"type", "prefix", "cleanup"});
    return make_word_piece_decoder(fields.text_or("prefix", "##"), fields.flag_or("cleanup", true));
  }
  if (type == "BPEDecoder") {
    only_keys(fields, {"type", "suffix"});
    return std::make_unique<BpeDecoder>(fields.text_or("suffix", "</w>"));
  }
  if (type == "ByteFallback") {
    only_keys(fields, {"type"});
    return std::make_unique<ByteFallbackDecoder>();
  }
  if (type == "Replace") {
    only_keys(fields, {"type", "pattern", "content"});
    auto pattern = Pattern::read(fields.at("pattern"), fields.file());
    return std::make_unique<ReplaceDecoder>(std::move(pattern), fields.text("content"));
  }
  if (type == "CTC") {
    only_keys(fields, {"type", "pad_token", "word_delimiter_token", "cleanup"});
    return std::make_unique<CtcDecoder>(fields.text_or("pad_token", "<pad>"),
                                        fields.text_or("word_delimiter_token", "|"),
                                        fields.flag_or("cleanup", true));
  }
  return nullptr;
}

}  // namespace jogak::text
