#include "app/data/text_data.h"

#include "base/file.h"
#include "base/format.h"
#include "base/utf8.h"
#include "data/line_data.h"
#include "data/make_dates.h"
#include "data/make_sort.h"
#include "data/window_data.h"
#include "text/train/bpe.h"
#include "text/train/char.h"

namespace jogak {

std::string recipe_text(const std::string& name, const DataRecipe& data) {
  const std::string path = find_data(name, data.where);
  std::string text = read_text_file(path);
  const size_t bad = utf8::first_invalid(text);
  ensure<FormatError>(bad == std::string::npos, path, ": byte ", bad,
                      ": found a byte that is not UTF-8, wanted UTF-8 text");
  return text;
}

RecipeLines recipe_lines(const DataRecipe& d) {
  if (!d.make.empty())
    return {generated_lines(d.make, d.count, d.seed, false),
            generated_lines(d.make, d.valid_count, d.seed, true)};
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

class Windows final : public TextData {
 public:
  Windows(const Recipe& r, const Tokenizer& tokenizer, int64_t context, const std::string& cache)
      : train_(open(r, tokenizer, cache, true), context, r.train.seed),
        valid_(open(r, tokenizer, cache, false), context, r.train.seed) {}

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
  static TokenFile open(const Recipe& r, const Tokenizer& tokenizer, const std::string& cache,
                        bool train) {
    const DataRecipe& d = r.data;
    const bool own_file = !d.valid.empty();
    TokenSource source;
    source.text = find_data(train || !own_file ? d.train : d.valid, d.where);
    source.encode = plain_encode(tokenizer);
    source.vocab_size = tokenizer.vocab_size();
    source.tokenizer = tokenizer.to_json();
    source.cache_directory = cache;
    if (!own_file) (train ? source.to : source.from) = 1 - d.valid_share;
    return TokenFile(source);
  }

  WindowData train_, valid_;
};

class LineSets final : public TextData {
 public:
  LineSets(const Recipe& r, const Tokenizer& tokenizer, int64_t context)
      : LineSets(r, tokenizer, context, recipe_lines(r.data)) {}

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
  LineSets(const Recipe& r, const Tokenizer& tokenizer, int64_t context, const RecipeLines& lines)
      : name_(r.data.make.empty() ? r.data.train
                                  : text_of(r.data.make, " with seed ", r.data.seed)),
        train_(lines.train, name_, plain_encode(tokenizer), options(r, tokenizer, context)),
        valid_(lines.valid, name_ + " (validation)", plain_encode(tokenizer),
               options(r, tokenizer, context)) {}

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
                                         bool held_out) {
  const Split split = held_out ? Split::held_out : Split::train;
  if (make == "dates") return make_dates(count, seed, split);
  ensure<UsageError>(make == "sort", "unknown generated data '", make, "', wanted dates or sort");
  return make_sort(count, seed, split);
}

Tokenizer recipe_tokenizer(const Recipe& r) {
  if (!r.tokenizer.from.empty()) return Tokenizer::load(r.tokenizer.from);
  std::vector<std::string> texts;
  if (is_lines(r)) {
    RecipeLines lines = recipe_lines(r.data);
    texts = std::move(lines.train);
    texts.insert(texts.end(), lines.valid.begin(), lines.valid.end());
  } else {
    texts.push_back(recipe_text(r.data.train, r.data));
    if (!r.data.valid.empty()) texts.push_back(recipe_text(r.data.valid, r.data));
  }
  ensure<UsageError>(r.tokenizer.type == "char" || r.tokenizer.type == "bpe",
                     "tokenizer.type is \"", r.tokenizer.type,
                     "\", wanted char or bpe for this data, or tokenizer.from");
  const std::vector<std::string_view> views(texts.begin(), texts.end());
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
                                         int64_t context, const std::string& cache) {
  if (is_lines(r)) return std::make_unique<LineSets>(r, tokenizer, context);
  return std::make_unique<Windows>(r, tokenizer, context, cache);
}

TrainTask text_task(const Model& model, const TextData& data, const Tokenizer& tokenizer,
                    int64_t batch) {
  Device& device = model.store->all()[0].value.device();
  const auto loss = [&model, &device](const Batch& b, Run& run) -> LossSum {
    return {model.loss_sum(to_device(b.ids, device), to_device(b.targets, device), run), b.tokens};
  };
  TrainTask task;
  task.examples = data.examples();
  task.prepare =
      prepare_with([&data](std::span<const Pick> picks) { return data.batch(picks); }, loss);
  task.validate = [&data, loss, batch](Run& run) {
    return mean_loss(
        data.valid_items(), batch,
        [&](int64_t first, int64_t count, Run& r) {
          return loss(data.valid_batch(first, count), r);
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
