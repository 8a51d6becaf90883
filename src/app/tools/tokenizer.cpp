#include "app/tools/tokenizer.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>

#include "app/models/target.h"
#include "base/progress.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "text/train/bpe.h"
#include "text/train/char.h"
#include "text/train/spm.h"
#include "text/train/word_piece.h"

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
  void done() { line_.reset(); }

 private:
  std::string title(const std::string& stage) const {
    constexpr std::array<std::pair<std::string_view, Words>, 6> kTitles = {{
        {"unpacking", {"글 풀기, MB", "unpacking text, MB"}},
        {"merging", {"합치기", "merging"}},
        {"counting words", {"단어 세기", "counting words"}},
        {"counting characters", {"글자 세기", "counting characters"}},
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

// Files and their lines; a mapped file stays mapped for as long as its lines are used.
class Corpus {
 public:
  Corpus(const TokenizerTraining& t, Stages& stages) : stages_(stages) {
    // SentencePiece's way has no line ends in words.
    const bool ends = !t.metaspace;
    for (const std::string& file : t.files) add(find_data(file), ends);
  }
  const std::vector<std::string_view>& lines() const { return lines_; }

 private:
  std::string unpacked(const std::string& path) {
    std::string out;
    read_text_file_in_pieces(path, [&](std::string_view piece) {
      out += piece;
      stages_({"unpacking", static_cast<int64_t>(out.size() >> 20), 0});
    });
    return out;
  }

  void add(const std::string& path, bool ends) {
    const bool packed = path.ends_with(".gz") || path.ends_with(".zst");
    std::string_view text = packed ? std::string_view(unpacked_.emplace_back(unpacked(path)))
                                   : mapped_.emplace_back(path).text();
    const size_t bad = utf8::first_invalid(text);
    ensure<FormatError>(bad == std::string_view::npos, path, ": byte ", bad,
                        ": found bytes that are not UTF-8, wanted UTF-8 text");
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end);
      if (!ends)
        while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
      lines_.push_back(line);
    }
  }

  Stages& stages_;
  std::deque<MappedFile> mapped_;
  std::deque<std::string> unpacked_;
  std::vector<std::string_view> lines_;
};

std::optional<text::NormalForm> normal_form(const TokenizerTraining& t) {
  if (t.normalize == "none") return {};
  return t.normalize == "nfkc" ? text::NormalForm::nfkc : text::NormalForm::nfc;
}

int checked_size(const TokenizerTraining& t) {
  ensure<UsageError>(t.vocab_size >= 1 && t.vocab_size <= (1 << 30), "vocabulary size: found ",
                     t.vocab_size, ", wanted 1 to ", 1 << 30);
  return static_cast<int>(t.vocab_size);
}

// The token for what is unknown: as given, or a special one that is called so.
std::string unknown_of(const TokenizerTraining& t) {
  if (!t.unk.empty()) return t.unk;
  for (const std::string& token : t.special)
    if (const char* role = role_of(token); role && std::string_view(role) == "unk_token")
      return token;
  return "";
}

Tokenizer trained_char(const TokenizerTraining& t, const Corpus& corpus, Stages& stages) {
  Tokenizer out = train_char(corpus.lines(), {.special_tokens = t.special,
                                              .unk_token = unknown_of(t),
                                              .normal_form = normal_form(t),
                                              .progress = std::ref(stages)});
  ensure<UsageError>(t.vocab_size == 0 || out.vocab_size() <= t.vocab_size,
                     "vocabulary size: found ", out.vocab_size(),
                     " characters and special tokens, wanted at most ", t.vocab_size);
  return out;
}

Tokenizer trained_bpe(const TokenizerTraining& t, const Corpus& corpus, Stages& stages) {
  ensure<UsageError>(t.unk.empty(), "an unknown token: found ", quoted(t.unk),
                     ", wanted none: bytes are never unknown");
  return train_bpe(corpus.lines(), {.vocab_size = checked_size(t),
                                    .min_frequency = t.min_frequency,
                                    .special_tokens = t.special,
                                    .metaspace = t.metaspace,
                                    .normal_form = normal_form(t),
                                    .progress = std::ref(stages)});
}

Tokenizer trained_word_piece(const TokenizerTraining& t, const Corpus& corpus, Stages& stages) {
  WordPieceTrainOptions options{.vocab_size = checked_size(t),
                                .min_frequency = t.min_frequency,
                                .special_tokens = t.special,
                                .lowercase = t.lowercase,
                                .normal_form = normal_form(t),
                                .progress = std::ref(stages)};
  if (const std::string unk = unknown_of(t); !unk.empty()) options.unk_token = unk;
  return train_word_piece(corpus.lines(), options);
}

Tokenizer trained_unigram(const TokenizerTraining& t, const Corpus& corpus, Stages& stages) {
  SpmTraining training{.type = "unigram", .vocab_size = t.vocab_size, .eos = ""};
  if (!t.unk.empty()) training.unk = t.unk;
  for (const std::string& token : t.special)
    if (token != training.unk) training.control.push_back(token);
  training.normalize = t.normalize != "none";
  training.nfc = t.normalize != "nfkc";
  training.progress = std::ref(stages);
  return Tokenizer::from_spm(train_spm(corpus.lines(), training), "trained");
}

void check(const TokenizerTraining& t) {
  const auto one_of = [](const char* what, const std::string& found,
                         const std::vector<std::string>& known, const char* wanted) {
    ensure<UsageError>(std::find(known.begin(), known.end(), found) != known.end(), what,
                       ": found ", quoted(found), ", wanted ", wanted, did_you_mean(found, known));
  };
  one_of("tokenizer type", t.type, tokenizer_types(), "char, bpe, wordpiece or unigram");
  if (!t.normalize.empty())
    one_of("normal form", t.normalize, tokenizer_normal_forms(), "nfc, nfkc or none");
  ensure<UsageError>(!t.metaspace || t.type == "bpe", "metaspace: found type ", t.type,
                     ", wanted bpe");
  ensure<UsageError>(!t.lowercase || t.type == "wordpiece", "lowercase: found type ", t.type,
                     ", wanted wordpiece");
  ensure<UsageError>(!t.files.empty(), "tokenizer: found no files, wanted text to train on");
}

// Of several tokens for a role the first one given.
void give_roles(const TokenizerTraining& t, Tokenizer& made) {
  std::vector<std::string> special = t.special;
  for (const KnownRole& known : kKnownRoles) special.emplace_back(known.token);
  for (const std::string& token : special) {
    const char* role = role_of(token);
    const auto id = made.token_to_id(token);
    if (role && id && made.is_special(*id) && !made.roles().contains(role))
      made.set_role(role, token);
  }
}

}  // namespace

std::vector<std::string> tokenizer_types() { return {"char", "bpe", "wordpiece", "unigram"}; }
std::vector<std::string> tokenizer_normal_forms() { return {"nfc", "nfkc", "none"}; }

TrainedTokenizer train_tokenizer(const TokenizerTraining& t) {
  check(t);
  TargetDirectory target({t.out, t.overwrite}, is_tokenizer_file);
  Stages stages(t);
  const Corpus corpus(t, stages);
  Tokenizer made = t.type == "char"        ? trained_char(t, corpus, stages)
                   : t.type == "bpe"       ? trained_bpe(t, corpus, stages)
                   : t.type == "wordpiece" ? trained_word_piece(t, corpus, stages)
                                           : trained_unigram(t, corpus, stages);
  stages.done();
  ensure<Stopped>(!t.stop || !t.stop->load(), "stopped");
  give_roles(t, made);
  made.save(target.path());
  target.finish();
  return {t.type, t.out, made.vocab_size(), {made.roles().begin(), made.roles().end()}};
}

Json to_json(const TrainedTokenizer& trained) {
  Json roles = Json::object();
  for (const auto& [role, token] : trained.roles) roles.set(role, token);
  Json out = Json::object();
  out.set("schema", 1).set("type", trained.type).set("vocab_size", trained.vocab_size);
  return std::move(out.set("out", trained.out).set("roles", std::move(roles)));
}

}  // namespace jogak
