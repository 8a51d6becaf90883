#include "text/stages/decoder.h"

#include <utility>
#include <vector>

#include "base/utf8.h"
#include "text/reading.h"
#include "text/stages/byte_level.h"
#include "text/stages/growth.h"
#include "text/stages/pre_tokenizer.h"

namespace jogak::text {
namespace {

// Bytes are collected until they end a character; what can never become one is U+FFFD.
class ByteLevelPass : public Decoder::Pass {
 public:
  void push(std::string_view token, TextSink out) override {
    if (!byte_level::append_bytes(bytes_, token)) bytes_ += token;
    const size_t end = utf8::whole_prefix(bytes_);
    emit(std::string_view(bytes_).substr(0, end), out);
    bytes_.erase(0, end);
  }
  void finish(TextSink out) override {
    emit(bytes_, out);
    bytes_.clear();
  }

 private:
  static void emit(std::string_view bytes, TextSink out) {
    if (bytes.empty()) return;
    if (utf8::first_invalid(bytes) == std::string_view::npos) return out(bytes);
    out(utf8::lossy(bytes));
  }
  std::string bytes_;
};

class ByteLevelDecoder : public Decoder {
 public:
  explicit ByteLevelDecoder(ByteLevelOptions options) : options_(options) {}
  std::unique_ptr<Pass> start() const override { return std::make_unique<ByteLevelPass>(); }
  bool joins() const override { return true; }
  Json to_json() const override { return byte_level_json(options_); }

 private:
  ByteLevelOptions options_;  // carried along; decoding does not depend on them
};

struct Through : Decoder::Pass {
  void push(std::string_view token, TextSink out) override { out(token); }
};

// Joins all tokens into one.
class Fuse : public Decoder {
 public:
  std::unique_ptr<Pass> start() const override { return std::make_unique<Through>(); }
  std::unique_ptr<Pass> start_joined() const override { return start(); }
  bool joins() const override { return true; }
  Json to_json() const override { return Json::object({{"type", "Fuse"}}); }
};

class SequencePass : public Decoder::Pass {
 public:
  explicit SequencePass(std::vector<std::unique_ptr<Pass>> steps) : steps_(std::move(steps)) {}
  void push(std::string_view token, TextSink out) override {
    taken_ += token.size() + 1;
    run(0, token, out);
  }
  void finish(TextSink out) override {
    for (size_t i = 0; i < steps_.size(); ++i)
      steps_[i]->finish([&](std::string_view token) { run(i + 1, token, out); });
  }

 private:
  // As deep as there are steps, which reading limits.
  void run(size_t step, std::string_view token, TextSink out) {
    handed_on_ += token.size() + 1;
    limit_growth("decode", taken_ * (steps_.size() + 1), handed_on_);
    if (step == steps_.size()) return out(token);
    steps_[step]->push(token, [&](std::string_view next) { run(step + 1, next, out); });
  }
  std::vector<std::unique_ptr<Pass>> steps_;
  size_t taken_ = 0, handed_on_ = 0;  // bytes, and one for each token
};

class DecoderSequence : public Decoder {
 public:
  explicit DecoderSequence(std::vector<std::unique_ptr<Decoder>> steps)
      : steps_(std::move(steps)) {}
  std::unique_ptr<Pass> start() const override { return start(false); }
  std::unique_ptr<Pass> start_joined() const override { return start(true); }
  bool joins() const override {
    for (const auto& step : steps_)
      if (step->joins()) return true;
    return false;
  }
  Json to_json() const override {
    Json list = Json::array();
    for (const auto& step : steps_) list.push(step->to_json());
    return Json::object({{"type", "Sequence"}, {"decoders", list}});
  }

 private:
  std::unique_ptr<Pass> start(bool joined) const {
    std::vector<std::unique_ptr<Pass>> passes;
    for (const auto& step : steps_) {
      passes.push_back(joined ? step->start_joined() : step->start());
      joined = joined || step->joins();
    }
    return std::make_unique<SequencePass>(std::move(passes));
  }
  std::vector<std::unique_ptr<Decoder>> steps_;
};

}  // namespace

std::unique_ptr<Decoder::Pass> Decoder::start_joined() const {
  struct Collect : Pass {
    explicit Collect(std::unique_ptr<Pass> inner) : pass(std::move(inner)) {}
    void push(std::string_view part, TextSink) override { token += part; }
    void finish(TextSink out) override {
      pass->push(token, out);
      pass->finish(out);
    }
    std::unique_ptr<Pass> pass;
    std::string token;
  };
  return std::make_unique<Collect>(start());
}

std::unique_ptr<Decoder> make_byte_level_decoder() {
  return std::make_unique<ByteLevelDecoder>(ByteLevelOptions{});
}

std::unique_ptr<Decoder> make_fuse_decoder() { return std::make_unique<Fuse>(); }

std::unique_ptr<Decoder::Pass> spaced_tokens() {
  struct Spaced : Decoder::Pass {
    void push(std::string_view token, TextSink out) override {
      if (!std::exchange(first, false)) out(" ");
      out(token);
    }
    bool first = true;
  };
  return std::make_unique<Spaced>();
}

std::unique_ptr<Decoder> Decoder::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  const std::string& type = type_of(fields, "decoder");
  if (type == "ByteLevel") return std::make_unique<ByteLevelDecoder>(read_byte_level(fields));
  if (type == "Fuse") {
    only_keys(fields, {"type"});
    return make_fuse_decoder();
  }
  if (type == "Sequence") {
    only_keys(fields, {"type", "decoders"});
    std::vector<std::unique_ptr<Decoder>> steps;
    for (const Json& step : steps_of(fields, "decoders")) steps.push_back(read(step, file));
    return std::make_unique<DecoderSequence>(std::move(steps));
  }
  if (auto one = read_token_decoder(fields, type)) return one;
  unsupported_type(fields, "decoder");
}

}  // namespace jogak::text
