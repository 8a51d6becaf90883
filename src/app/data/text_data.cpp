#include "app/data/text_data.h"

#include "base/file.h"
#include "base/format.h"
#include "base/utf8.h"
#include "data/line_data.h"
#include "data/make/dates.h"
#include "data/make/sort.h"
#include "data/window_data.h"
#include "text/train/bpe.h"
#include "text/train/char.h"

namespace jogak {

TextFile recipe_text(const std::string& name, const DataRecipe& data) {
  const std::string path = find_data(name, data.where);
  std::string text = read_text_file(path);
  const size_t bad = utf8::first_invalid(text);
  ensure<FormatError>(bad == std::string::npos, path, ": byte ", bad,
                      ": found a byte that is not UTF-8, wanted UTF-8 text");
  return {path, std::move(text)};
}

RecipeLines recipe_lines(const DataRecipe& d) {
  if (!d.make.empty())
    return {generated_lines(d.make, d.count, d.seed, false, d.longest),
            generated_lines(d.make, d.valid_count, d.seed, true, d.longest)};
  RecipeLines out{read_lines(d.train, d.where), {}};
  if (!d.valid.empty()) {
    out.valid = read_lines(d.valid, d.where);
  } else {
    const auto first =
        static_cast<int64_t>(static_cast<double>(out.train.size()) * (1 - d.valid_share));
    out.valid.assign(out.train.begin() + first, out.train.end());
    out.train.resize(static_cast<size_t>(first));
  }
  return out;
}

namespace {

bool is_lines(const Recipe& r) { return r.data.kind == "lines" || !r.data.make.empty(); }

TokenSource token_source(const Tokenizer& tokenizer, const std::string& cache,
                         const std::string& name, const DataRecipe& d) {
  TokenSource source;
  source.text = find_data(name, d.where);
  source.encode = plain_encode(tokenizer);
  source.vocab_size = tokenizer.vocab_size();
  source.tokenizer = tokenizer.to_json();
  source.cache_directory = cache;
  return source;
}

class Windows final : public TextData {
 public:
  Windows(const Recipe& r, int64_t context, std::pair<TokenFile, TokenFile> tokens)
      : train_(std::move(tokens.first), context, r.train.seed),
        valid_(std::move(tokens.second), context, r.train.seed) {}

  int64_t examples() const override { return train_.size(); }
  Batch batch(std::span<const Pick> picks) const override { return train_.batch(picks); }
  int64_t valid_items() const override { return valid_.eval_windows(); }
  Batch valid_batch(int64_t first, int64_t count) const override {
    return valid_.eval_batch(first, count);
  }
  std::string describe() const override {
    return text_of(train_.tokens().name(), ": ", format_count(train_.tokens().count()),
                   " tokens to train on, ", format_count(valid_.tokens().count()),
                   " to validate with");
  }

 private:
  WindowData train_, valid_;
};

class LineSets final : public TextData {
 public:
  LineSets(const Recipe& r, const Tokenizer& tokenizer, int64_t context, const RecipeLines& lines)
      : name_(r.data.make.empty() ? r.data.train
                                  : text_of(r.data.make, " with seed ", r.data.seed)),
        train_(lines.train, name_, plain_encode(tokenizer), options(r, tokenizer, context)),
        valid_(lines.valid, name_ + " (validation)", plain_encode(tokenizer),
               options(r, tokenizer, context)) {}

  int64_t examples() const override { return train_.size(); }
  Batch batch(std::span<const Pick> picks) const override { return train_.batch(picks); }
  int64_t valid_items() const override { return valid_.size(); }
  Batch valid_batch(int64_t first, int64_t count) const override {
    return valid_.eval_batch(first, count);
  }
  std::string describe() const override {
    return text_of(name_, ": ", format_count(train_.size()), " lines to train on, ",
                   format_count(valid_.size()), " to validate with");
  }

 private:
  static LineOptions options(const Recipe& r, const Tokenizer& tokenizer, int64_t context) {
    const auto end = tokenizer.role_id("eos_token");
    ensure<FormatError>(end.has_value(),
                        "the tokenizer has no end token (eos_token), which lines need");
    return {.separator = r.data.separator, .end_id = *end, .context = context};
  }

  std::string name_;
  LineData train_, valid_;
};

}  // namespace

Encode plain_encode(const Tokenizer& tokenizer) {
  return [&tokenizer](std::string_view text) {
    return tokenizer.encode_ids(text, {.add_special = false, .special_as_text = true});
  };
}

std::vector<std::string> generated_lines(const std::string& make, int64_t count, uint64_t seed,
                                         bool held_out, int64_t longest) {
  const Split split = held_out ? Split::held_out : Split::train;
  if (make == "dates") return make_dates(count, seed, split);
  ensure<UsageError>(make == "sort", "unknown generated data '", make, "', wanted dates or sort");
  return make_sort(count, seed, split, {.longest = static_cast<int>(longest)});
}

std::pair<TokenFile, TokenFile> token_files(const Recipe& r, const Tokenizer& tokenizer,
                                            const std::string& cache, const RecipeTexts& texts) {
  TokenSource train = token_source(tokenizer, cache, r.data.train, r.data);
  train.file = texts.train;
  if (r.data.valid.empty()) return TokenFile::parts(train, 1 - r.data.valid_share);
  TokenSource valid = token_source(tokenizer, cache, r.data.valid, r.data);
  valid.file = texts.valid;
  return {TokenFile(train), TokenFile(valid)};
}

Tokenizer recipe_tokenizer(const Recipe& r, RecipeTexts& texts) {
  if (!r.tokenizer.from.empty()) return Tokenizer::load(r.tokenizer.from);
  std::vector<std::string_view> views;
  if (is_lines(r)) {
    texts.lines = recipe_lines(r.data);
    views.assign(texts.lines->train.begin(), texts.lines->train.end());
    views.insert(views.end(), texts.lines->valid.begin(), texts.lines->valid.end());
  } else {
    texts.train = recipe_text(r.data.train, r.data);
    views.push_back(*texts.train->text());
    if (!r.data.valid.empty()) {
      texts.valid = recipe_text(r.data.valid, r.data);
      views.push_back(*texts.valid->text());
    }
  }
  ensure<UsageError>(r.tokenizer.type == "char" || r.tokenizer.type == "bpe",
                     "tokenizer.type is \"", r.tokenizer.type,
                     "\", wanted char or bpe for this data, or tokenizer.from");
  const std::vector<std::string> special = {kEndToken};
  Tokenizer tokenizer =
      r.tokenizer.type == "bpe"
          ? train_bpe(views, {.vocab_size = static_cast<int>(r.tokenizer.vocab_size),
                              .special_tokens = special})
          : train_char(views, {.special_tokens = special});
  tokenizer.set_role("eos_token", kEndToken);
  return tokenizer;
}

std::unique_ptr<TextData> open_text_data(const Recipe& r, const Tokenizer& tokenizer,
                                         int64_t context, const std::string& cache,
                                         RecipeTexts& texts) {
  if (!is_lines(r))
    return std::make_unique<Windows>(r, context, token_files(r, tokenizer, cache, texts));
  if (!texts.lines) texts.lines = recipe_lines(r.data);
  return std::make_unique<LineSets>(r, tokenizer, context, *texts.lines);
}

TrainTask text_task(const Model& model, const TextData& data, const Tokenizer& tokenizer,
                    const TrainRecipe& r) {
  ensure<UsageError>(r.metric == "loss", "train.metric is \"", r.metric,
                     "\", wanted loss for this data");
  const auto loss = [&model](const Batch& b, double smoothing, Run& run) -> LossSum {
    return {model.loss_sum(b.ids, b.targets, smoothing, run), b.tokens};
  };
  TrainTask task;
  task.examples = data.examples();
  task.prepare = prepare_with([&data](std::span<const Pick> picks) { return data.batch(picks); },
                              [loss, smoothing = r.label_smoothing](const Batch& b, Run& run) {
                                return loss(b, smoothing, run);
                              });
  task.validate = [&data, loss, batch = r.batch](Run& run) {
    return mean_loss(
        data.valid_items(), batch,
        [&](int64_t first, int64_t count, Run& own) {
          return loss(data.valid_batch(first, count), 0, own);
        },
        run);
  };
  task.save_model = [&model, &tokenizer](const std::string& directory) {
    save_model(model, directory);
    tokenizer.save(directory);
  };
  task.config = model.config.dump();
  task.data = data.describe();
  return task;
}

}  // namespace jogak
