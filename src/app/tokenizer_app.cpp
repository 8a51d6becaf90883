#include "app/tokenizer_app.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>

#include "base/progress.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "text/train_bpe.h"
#include "text/train_char.h"
#include "text/train_spm.h"

namespace jogak {
namespace {

struct KnownRole {
  const char* token;
  const char* role;
};
constexpr std::array kKnownRoles = {
    KnownRole{"<|endoftext|>", "eos_token"}, KnownRole{"</s>", "eos_token"},
    KnownRole{"<eos>", "eos_token"},         KnownRole{"[EOS]", "eos_token"},
    KnownRole{"<s>", "bos_token"},           KnownRole{"<bos>", "bos_token"},
    KnownRole{"[BOS]", "bos_token"},         KnownRole{"<pad>", "pad_token"},
    KnownRole{"[PAD]", "pad_token"},         KnownRole{"<unk>", "unk_token"},
    KnownRole{"[UNK]", "unk_token"},         KnownRole{"[SEP]", "sep_token"},
    KnownRole{"[CLS]", "cls_token"},         KnownRole{"[MASK]", "mask_token"},
    KnownRole{"<mask>", "mask_token"},
};

const char* role_of(const std::string& token) {
  for (const KnownRole& known : kKnownRoles)
    if (token == known.token) return known.role;
  return nullptr;
}

// Files and their lines; a mapped file stays mapped for as long as its lines are used.
class Corpus {
 public:
  explicit Corpus(const std::vector<std::string>& files) {
    for (const std::string& file : files) add(find_data(file));
  }
  const std::vector<std::string_view>& lines() const { return lines_; }

 private:
  void add(const std::string& path) {
    const bool packed = path.ends_with(".gz") || path.ends_with(".zst");
    std::string_view text = packed ? std::string_view(unpacked_.emplace_back(read_text_file(path)))
                                   : mapped_.emplace_back(path).text();
    const size_t bad = utf8::first_invalid(text);
    ensure<FormatError>(bad == std::string_view::npos, path, ": byte ", bad,
                        ": found bytes that are not UTF-8, wanted UTF-8 text");
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  std::deque<MappedFile> mapped_;
  std::deque<std::string> unpacked_;
  std::vector<std::string_view> lines_;
};

// One progress line per stage of the training.
class Stages {
 public:
  explicit Stages(const TokenizerTraining& training) : training_(training) {}

  void operator()(const TrainProgress& now) {
    ensure<Stopped>(!training_.stop || !training_.stop->load(), "stopped");
    if (stage_ != now.stage) {
      line_.reset();
      line_.emplace(title(now.stage), now.total, training_.lang);
      stage_ = now.stage;
    }
    line_->update(now.done);
  }

 private:
  std::string title(const std::string& stage) const {
    constexpr std::array<std::pair<std::string_view, Words>, 4> kTitles = {{
        {"merging", {"합치기", "merging"}},
        {"counting words", {"낱말 세기", "counting words"}},
        {"reading", {"글 읽기", "reading text"}},
        {"learning", {"조각 배우기, 초", "learning pieces, seconds"}},
    }};
    for (const auto& [name, title] : kTitles)
      if (name == stage) return std::string(title(training_.lang));
    return stage;
  }

  const TokenizerTraining& training_;
  std::string stage_;
  std::optional<Progress> line_;
};

Tokenizer trained_char(const TokenizerTraining& t, const Corpus& corpus) {
  CharTrainOptions options{.special_tokens = t.special, .unk_token = t.unk};
  for (const std::string& token : t.special)
    if (const char* role = role_of(token); role && options.unk_token.empty())
      if (std::string_view(role) == "unk_token") options.unk_token = token;
  Tokenizer out = train_char(corpus.lines(), options);
  ensure<UsageError>(t.vocab_size == 0 || out.vocab_size() <= t.vocab_size,
                     "vocabulary size: found ", out.vocab_size(),
                     " characters and special tokens, wanted at most ", t.vocab_size);
  return out;
}

Tokenizer trained_bpe(const TokenizerTraining& t, const Corpus& corpus) {
  ensure<UsageError>(t.unk.empty(), "an unknown token: found ", quoted(t.unk),
                     ", wanted none: bytes are never unknown");
  ensure<UsageError>(t.vocab_size <= (1 << 30), "vocabulary size: found ", t.vocab_size,
                     ", wanted at most ", 1 << 30);
  Stages stages(t);
  return train_bpe(corpus.lines(), {.vocab_size = static_cast<int>(t.vocab_size),
                                    .min_frequency = t.min_frequency,
                                    .special_tokens = t.special,
                                    .add_prefix_space = false,
                                    .progress = std::ref(stages)});
}

Tokenizer trained_unigram(const TokenizerTraining& t, const Corpus& corpus) {
  Stages stages(t);
  SpmTraining training{.type = "unigram", .vocab_size = t.vocab_size, .eos = ""};
  if (!t.unk.empty()) training.unk = t.unk;
  for (const std::string& token : t.special)
    if (token != training.unk) training.control.push_back(token);
  training.progress = std::ref(stages);
  return Tokenizer::from_spm(train_spm(corpus.lines(), training), "trained");
}

}  // namespace

std::vector<std::string> tokenizer_types() { return {"char", "bpe", "unigram"}; }

Json train_tokenizer(const TokenizerTraining& t) {
  const std::vector<std::string> types = tokenizer_types();
  ensure<UsageError>(std::find(types.begin(), types.end(), t.type) != types.end(),
                     "tokenizer type: found ", quoted(t.type), ", wanted char, bpe or unigram",
                     did_you_mean(t.type, types));
  ensure<UsageError>(!t.files.empty(), "tokenizer: found no files, wanted text to train on");
  const Corpus corpus(t.files);
  Tokenizer made = t.type == "char"  ? trained_char(t, corpus)
                   : t.type == "bpe" ? trained_bpe(t, corpus)
                                     : trained_unigram(t, corpus);
  for (const std::string& token : t.special)
    if (const char* role = role_of(token); role && !made.roles().contains(role))
      made.set_role(role, token);
  made.save(t.out);
  Json roles = Json::object();
  for (const auto& [role, token] : made.roles()) roles.set(role, token);
  Json out = Json::object();
  out.set("schema", 1).set("type", t.type).set("vocab_size", made.vocab_size());
  return std::move(out.set("out", t.out).set("roles", std::move(roles)));
}

}  // namespace jogak
