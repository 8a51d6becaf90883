#include "app/train/recipe_keys.h"

#include <algorithm>

namespace jogak {
namespace {

constexpr char kTexts[] = "text, lines, pairs, masked, masked-lines, labels, tags";
constexpr char kHeldOut[] = "text, lines, pairs, masked, masked-lines, labels, tags, images";
constexpr char kClasses[] = "text, lines, pairs, masked, masked-lines, labels, tags, images";
constexpr char kMade[] = "text, lines, pairs, masked, masked-lines, labels, images, series";
constexpr char kMadeApart[] = "text, lines, pairs, masked, masked-lines, labels, images";

}  // namespace

std::vector<RecipeKey> recipe_keys(Recipe& r) {
  ModelRecipe& m = r.model;
  TokenizerRecipe& t = r.tokenizer;
  DataRecipe& d = r.data;
  TrainRecipe& n = r.train;
  return {{"model", "from", &m.from},
          {"model", "family", &m.family},
          {"model", "preset", &m.preset},
          {"tokenizer", "from", &t.from, kTexts},
          {"tokenizer", "type", &t.type, kTexts},
          {"tokenizer", "vocab_size", &t.vocab_size, kTexts},
          {"tokenizer", "shared", &t.shared, "pairs"},
          {"tokenizer", "normalize", &t.normalize, "pairs"},
          {"data", "kind", &d.kind},
          {"data", "train", &d.train},
          {"data", "valid", &d.valid, kHeldOut},
          {"data", "source", &d.source, "pairs"},
          {"data", "target", &d.target, "pairs"},
          {"data", "valid_source", &d.valid_source, "pairs"},
          {"data", "valid_target", &d.valid_target, "pairs"},
          {"data", "source_column", &d.source_column, "pairs"},
          {"data", "target_column", &d.target_column, "pairs"},
          {"data", "valid_share", &d.valid_share, kHeldOut},
          {"data", "make", &d.make, kMade},
          {"data", "count", &d.count, kMade},
          {"data", "valid_count", &d.valid_count, kMadeApart},
          {"data", "seed", &d.seed},
          {"data", "separator", &d.separator, "text, lines"},
          {"data", "mask_share", &d.mask_share, "masked, masked-lines"},
          {"data", "text_column", &d.text_column, "labels"},
          {"data", "label_column", &d.label_column, "labels"},
          {"data", "class_order", &d.class_order, "labels, tags"},
          {"data", "train_labels", &d.train_labels, "images"},
          {"data", "valid_labels", &d.valid_labels, "images"},
          {"data", "date_column", &d.date_column, "series"},
          {"data", "series", &d.series, "series"},
          {"data", "train_rows", &d.train_rows, "series"},
          {"data", "valid_rows", &d.valid_rows, "series"},
          {"data", "test_rows", &d.test_rows, "series"},
          {"data", "where", &d.where},
          {"train", "steps", &n.steps},
          {"train", "batch", &n.batch},
          {"train", "batch_tokens", &n.batch_tokens, "pairs"},
          {"train", "accumulate", &n.accumulate},
          {"train", "context", &n.context, kTexts},
          {"train", "recompute", &n.recompute},
          {"train", "optimizer", &n.optimizer},
          {"train", "schedule", &n.schedule},
          {"train", "lr", &n.lr},
          {"train", "min_lr", &n.min_lr},
          {"train", "warmup", &n.warmup},
          {"train", "decay_steps", &n.decay_steps},
          {"train", "beta1", &n.beta1},
          {"train", "beta2", &n.beta2},
          {"train", "eps", &n.eps},
          {"train", "weight_decay", &n.weight_decay},
          {"train", "momentum", &n.momentum},
          {"train", "clip", &n.clip},
          {"train", "label_smoothing", &n.label_smoothing, kClasses},
          {"train", "metric", &n.metric},
          {"train", "bleu_tokenize", &n.bleu_tokenize, "pairs"},
          {"train", "average", &n.average},
          {"train", "lora_rank", &n.lora_rank},
          {"train", "lora_alpha", &n.lora_alpha},
          {"train", "lora_targets", &n.lora_targets},
          {"train", "off", &n.off},
          {"train", "eval_every", &n.eval_every},
          {"train", "checkpoint_every", &n.checkpoint_every},
          {"train", "keep", &n.keep},
          {"train", "patience", &n.patience},
          {"train", "log_every", &n.log_every},
          {"train", "seed", &n.seed},
          {"train", "dtype", &n.dtype}};
}

Json RecipeKey::value() const {
  return std::visit(
      [](auto* one) {
        using T = std::remove_pointer_t<decltype(one)>;
        if constexpr (std::is_same_v<T, uint64_t>)
          return Json(static_cast<int64_t>(*one));
        else
          return Json(*one);
      },
      field);
}

bool RecipeKey::is_for(const std::string& kind) const {
  const std::vector<std::string> all = split_list(kinds);
  return all.empty() || std::find(all.begin(), all.end(), kind) != all.end();
}

}  // namespace jogak
