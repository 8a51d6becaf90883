#include "text/train/spm.h"

#include <sentencepiece_trainer.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/child.h"
#include "base/error.h"
#include "base/utf8.h"
#include "text/train/nfc_rules.h"
#include "text/unicode/unicode.h"

namespace jogak {
namespace {

// Results hang on the number of threads, so it is the same everywhere.
constexpr const char* kThreads = "4";
constexpr size_t kLongestLine = 4000;  // bytes; the library drops lines above 4192

// Lines as the library wants them: it drops those that are long or hold a tab or its own sign for
// unknown characters, so these are cut there.
class Lines : public sentencepiece::SentenceIterator {
 public:
  Lines(std::span<const std::string_view> texts, const std::function<void(int64_t)>& tell)
      : texts_(texts), tell_(tell) {
    Next();
  }

  bool done() const override { return done_; }
  void Next() override {
    while (rest_.empty()) {
      if (read_ % 1024 == 0 || read_ == texts_.size()) tell_(static_cast<int64_t>(read_));
      done_ = read_ == texts_.size();
      if (done_) return;
      rest_ = texts_[read_++];
      skip_breaks();
    }
    const size_t size = part_size();
    value_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    skip_breaks();
  }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  static constexpr std::string_view kBreaks{"\t\r\n\0", 4};
  static constexpr std::string_view kSign = "\u2585";

  void skip_breaks() {
    do {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(kBreaks), rest_.size()));
    } while (rest_.starts_with(kSign) && (rest_.remove_prefix(kSign.size()), true));
  }

  size_t part_size() const {
    const std::string_view start = rest_.substr(0, kLongestLine + kSign.size());
    size_t size = std::min({start.find_first_of(kBreaks), start.find(kSign), rest_.size()});
    if (size <= kLongestLine) return size;
    size = start.substr(0, kLongestLine).rfind(' ');
    if (size != std::string_view::npos && size > 0) return size;
    size = kLongestLine;
    while (text::continues(rest_[size])) --size;
    return size;
  }

  std::span<const std::string_view> texts_;
  const std::function<void(int64_t)>& tell_;
  size_t read_ = 0;
  std::string_view rest_;
  std::string value_;
  bool done_ = false;
};

using Settings = std::unordered_map<std::string, std::string>;

std::string listed(const std::vector<std::string>& tokens) {  // as in a CSV file
  std::string out;
  for (const std::string& token : tokens) {
    out += out.empty() ? "\"" : ",\"";
    for (const char c : token) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += '"';
  }
  return out;
}

Settings settings_of(const SpmTraining& t) {
  const auto flag = [](bool on) { return std::string(on ? "true" : "false"); };
  const bool characters = t.type == "char";
  int next = 1;
  const auto id = [&](const std::string& token) {
    return std::to_string(token.empty() ? -1 : next++);
  };
  Settings out = {{"model_type", t.type},
                  {"vocab_size", std::to_string(t.vocab_size - t.extra)},
                  {"num_threads", kThreads},
                  {"minloglevel", "3"},
                  {"unk_id", "0"},
                  {"unk_piece", t.unk},
                  {"pad_id", "-1"},
                  {"character_coverage", characters ? "1.0" : text_of(t.coverage)},
                  {"normalization_rule_name", t.normalize ? "nmt_nfkc" : "identity"},
                  {"remove_extra_whitespaces", flag(t.normalize)},
                  {"add_dummy_prefix", flag(t.dummy_prefix)},
                  {"byte_fallback", flag(t.byte_fallback)},
                  {"shuffle_input_sentence", "false"}};
  out["bos_id"] = id(t.bos);
  out["eos_id"] = id(t.eos);
  if (!t.bos.empty()) out["bos_piece"] = t.bos;
  if (!t.eos.empty()) out["eos_piece"] = t.eos;
  if (!t.control.empty()) out["control_symbols"] = listed(t.control);
  return out;
}

// The number behind `words` in the message, if it is there.
std::optional<int64_t> number_after(std::string_view message, std::string_view words) {
  const size_t at = message.find(words);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + words.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

[[noreturn]] void explain(const std::string& message, const SpmTraining& t) {
  const std::string found = text_of("vocabulary size: found ", t.vocab_size);
  if (const auto most = number_after(message, "Please set it to a value <= "))
    fail<UsageError>(found, ", wanted at most ", *most + t.extra,
                     ": this text gives no more pieces");
  // "Vocabulary size is smaller than required_chars. 20 vs 53. ..."
  const int64_t asked = t.vocab_size - t.extra;
  if (const auto least = number_after(message, text_of("required_chars. ", asked, " vs ")))
    fail<UsageError>(found, ", wanted at least ", *least + t.extra,
                     ": each character of the text needs a piece");
  std::string line = message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  fail<UsageError>("tokenizer: libsentencepiece cannot train: ", line);
}

// A file in memory with the rules, for as long as this lives.
class RuleFile {
 public:
  explicit RuleFile(const std::string& rules) : fd_(memfd_create("rules.tsv", MFD_CLOEXEC)) {
    ensure<IoError>(fd_ >= 0, "memory for rules: ", std::strerror(errno));
    for (std::string_view rest = rules; !rest.empty();) {
      const ssize_t written = write(fd_, rest.data(), rest.size());
      ensure<IoError>(written > 0, "memory for rules: ", std::strerror(errno));
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }
  ~RuleFile() { close(fd_); }
  RuleFile(const RuleFile&) = delete;
  RuleFile& operator=(const RuleFile&) = delete;
  std::string path() const { return text_of("/proc/self/fd/", fd_); }

 private:
  int fd_;
};

constexpr char kMade = 'm', kRefused = 'r';  // opens what the library's process sends back

std::string run_library(Lines& lines, const SpmTraining& training) {
  Settings settings = settings_of(training);
  std::optional<RuleFile> rules;
  if (training.normalize && training.nfc) {
    rules.emplace(text::nfc_rules());
    settings["normalization_rule_tsv"] = rules->path();
    settings["normalization_rule_name"] = "nfc";
  }
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &lines, &model);
  return status.ok() ? kMade + model : kRefused + status.ToString();
}

// The library cannot be asked to stop, so it works in a process that can be ended.
std::string run(std::span<const std::string_view> texts, const SpmTraining& training) {
  const auto start = std::chrono::steady_clock::now();
  const auto total = static_cast<int64_t>(texts.size());
  ChildWork job;
  job.work = [&](const std::function<void(int64_t)>& tell) {
    Lines lines(texts, tell);
    return run_library(lines, training);
  };
  job.waiting = [&](int64_t read) {
    if (!training.progress) return;
    const auto time = std::chrono::steady_clock::now() - start;
    const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
    read < total ? training.progress({"reading", std::max(read, int64_t{0}), total})
                 : training.progress({"learning", seconds, 0});
  };
  std::string answer = run_in_child(job);
  const bool made = answer[0] == kMade;
  answer.erase(0, 1);
  if (!made) explain(answer, training);
  return answer;
}

void check(std::span<const std::string_view> texts, const SpmTraining& t) {
  ensure<UsageError>(t.type == "unigram" || t.type == "bpe" || t.type == "char",
                     "tokenizer type: found ", t.type, ", wanted unigram, bpe or char");
  std::vector<std::string> special = t.control;
  for (const std::string* token : {&t.unk, &t.bos, &t.eos})
    if (!token->empty()) special.push_back(*token);
  const int64_t least = static_cast<int64_t>(special.size()) + t.extra + 1;
  ensure<UsageError>(t.vocab_size >= least && t.vocab_size <= (1 << 24), "vocabulary size: found ",
                     t.vocab_size, ", wanted ", least, " to ", 1 << 24);
  std::sort(special.begin(), special.end());
  const auto twice = std::adjacent_find(special.begin(), special.end());
  ensure<UsageError>(twice == special.end(), "special tokens: found ",
                     twice == special.end() ? "" : *twice, " twice");
  ensure<UsageError>(t.coverage >= 0.98 && t.coverage <= 1, "character coverage: found ",
                     t.coverage, ", wanted 0.98 to 1");
  bool any = false;
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t bad = utf8::first_invalid(texts[i]);
    ensure<FormatError>(bad == std::string_view::npos, "text ", i, ": byte ", bad,
                        ": found bytes that are not UTF-8, wanted UTF-8 text");
    any = any || texts[i].find_first_not_of(" \t\r\n") != std::string_view::npos;
  }
  ensure<UsageError>(any, "tokenizer: found only empty lines, wanted text to train on");
}

}  // namespace

std::string train_spm(std::span<const std::string_view> texts, const SpmTraining& training) {
  check(texts, training);
  return run(texts, training);
}

}  // namespace jogak
