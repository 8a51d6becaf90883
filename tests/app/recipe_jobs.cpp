#include "tests/app/recipe_jobs.h"

#include "app/data/shape_files.h"
#include "base/file.h"
#include "tests/io/bytes.h"

namespace jogak::test {

RecipeFiles::RecipeFiles() {
  for (const int n : {1, 2}) {
    std::string text, lines, pairs, source, target, labels = "text,label,title,mark\n", tags;
    for (int i = 0; i < 60; ++i) {
      const int x = (i * 7 + n * 3) % 40;
      text += text_of("line ", x, " of ", n, ".\n");
      lines += text_of("b", x % 10, " a = a b", x % 10, "\n");
      pairs += text_of("in ", x, "\tout ", x, "\tmore ", i, "\n");
      source += text_of("in ", x, "\n"), target += text_of("out ", x, "\n");
      labels +=
          text_of("word ", x, ",", i % 2 ? "yes" : "no", ",title ", x, ",", "cab"[i % 3], "\n");
      tags += text_of("is\tO\nKim", x, "\tB-PER\n\n");
    }
    for (int i = 0; i < 20; ++i) tags += "longer\tO\n";
    const auto write = [&](const char* kind, const std::string& what) {
      write_plain(file(kind, n), what);
    };
    write("text", text), write("lines", lines), write("pairs", pairs), write("labels", labels);
    write("tags", tags), write("source", source), write("target", target);
    std::string series = "date,a,b,when\n";
    for (int i = 0; i < 28 * 3; ++i) {
      const std::string day = text_of("2021-0", i / 28 + 1, "-", i % 28 < 9 ? "0" : "", i % 28 + 1);
      const std::string a = i == 10 ? "" : text_of((i * 5 + n) % 17);  // a cell is missing
      series += text_of(day, ",", a, ",", (i * 3) % 11 + n, ",", day, "\n");
    }
    write("series", series);
    write_shape_folders({file("images", n), 12, static_cast<uint64_t>(n), false});
    write_shape_idx({file("idx", n), 12, static_cast<uint64_t>(n), false});
    const std::string labels_file = file("idx", n) + "/labels-idx1-ubyte";
    std::string swapped = read_file(labels_file);
    std::reverse(swapped.begin() + 8, swapped.end());
    write_plain(labels_file + "-swapped", swapped);
  }
}

Keys with(Keys out, const Keys& more) {
  for (const auto& [key, value] : more) out[key] = value;
  return out;
}

std::vector<RecipeJob> recipe_jobs(const RecipeFiles& files) {
  const Keys train = {{"train.steps", "2"},     {"train.batch", "2"},
                      {"train.warmup", "1"},    {"train.eval_every", "2"},
                      {"train.log_every", "2"}, {"train.checkpoint_every", "2"}};
  const Keys tokens = {{"tokenizer.type", quoted("char")}};
  const Keys sort = {
      {"data.make", quoted("sort")}, {"data.count", "12"}, {"data.valid_count", "3"}};
  const Keys dates = with(sort, {{"data.make", quoted("dates")}});
  const auto model = [&](const char* family, const Keys& size) {
    return with(with(train, {{"model.family", quoted(family)}}), size);
  };
  const Keys wide = {{"model.num_hidden_layers", "1"},
                     {"model.hidden_size", "8"},
                     {"model.num_attention_heads", "2"}};
  const Keys gpt2 = with(model("gpt2", {{"model.n_layer", "1"},
                                        {"model.n_embd", "8"},
                                        {"model.n_head", "2"},
                                        {"model.n_positions", "40"}}),
                         tokens);
  const Keys places = {{"model.max_position_embeddings", "48"}, {"model.intermediate_size", "8"}};
  const Keys llama =
      with(with(model("llama", wide), with(places, tokens)), {{"model.head_dim", "4"}});
  const Keys falcon =
      with(model("falcon", wide), with(tokens, {{"model.max_position_embeddings", "48"}}));
  const Keys bert = with(with(model("bert", wide), places), tokens);
  const Keys vit = with(model("vit", wide), {{"model.intermediate_size", "8"}});
  const Keys marian = with(
      model("seq2seq",
            {{"model.encoder_layers", "1"}, {"model.decoder_layers", "1"}, {"model.d_model", "8"}}),
      tokens);
  const Keys series =
      with(model("patchtst", {{"model.d_model", "8"}}), {{"model.context_length", "12"},
                                                         {"model.prediction_length", "3"},
                                                         {"model.patch_length", "4"},
                                                         {"model.patch_stride", "4"}});
  const auto job = [](const char* name, const char* kind, const Keys& keys, const Keys& data) {
    return RecipeJob{name, kind, with(with(keys, data), {{"data.kind", quoted(kind)}})};
  };
  return {
      job("gpt2", "lines", gpt2, sort),
      job("gpt2", "text", gpt2, {{"data.train", files.named("text", 1)}}),
      job("llama", "lines", llama, sort),
      job("falcon", "lines", falcon, sort),
      job("marian", "pairs", marian, dates),
      job("bert", "masked-lines", bert, dates),
      job("bert", "masked", bert, {{"data.train", files.named("text", 1)}}),
      job("bert", "labels", bert, dates),
      job("bert", "tags", bert, {{"data.train", files.named("tags", 1)}}),
      job("vit", "images", vit, with(sort, {{"data.make", quoted("shapes")}})),
      job("patchtst", "series", series, {{"data.make", quoted("series")}, {"data.count", "60"}})};
}

std::string toml(const Keys& keys) {
  std::string out, section;
  for (const auto& [key, value] : keys) {
    const size_t dot = key.find('.');
    if (section != key.substr(0, dot)) {
      section = key.substr(0, dot);
      out += "[" + section + "]\n";
    }
    out += key.substr(dot + 1) + " = " + value + "\n";
  }
  return out;
}

}  // namespace jogak::test
