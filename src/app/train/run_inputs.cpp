#include "app/train/run_inputs.h"

#include <algorithm>
#include <filesystem>

#include "app/data/captions.h"
#include "app/models/target.h"
#include "app/train/recipe_keys.h"
#include "app/train/recipe_use.h"
#include "base/file.h"
#include "base/hash/hash.h"
#include "base/read_digests.h"
#include "data/idx_file.h"
#include "io/model_files.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

void add_file(Sha256& hash, const std::string& path) {
  read_text_file_in_pieces(path, [&](std::string_view piece) { hash.update(piece); });
}

// Places and contents, so that a picture in another class is another folder.
void add_folder(Sha256& hash, const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back(std::filesystem::relative(entry.path(), folder).string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    Sha256 one;
    read_file_in_pieces(join_path(folder, file),
                        [&](std::string_view piece) { one.update(piece); });
    hash.update(file).update(std::string_view("\0", 1)).update(one.hex());
  }
}

// Which settings decide what the files of this recipe become.
bool shapes_data(const Recipe& r, const std::string& key) {
  const DataRecipe& d = r.data;
  const bool made = !d.make.empty();
  const bool split = !made && d.valid.empty() && d.valid_source.empty();
  if (key == "data.kind") return true;
  if (is_among(key, {"data.make", "data.count", "data.valid_count"})) return made;
  if (key == "data.seed") return made || split;
  if (key == "data.valid_share") return split && d.kind != "series";
  if (key == "data.longest") return d.make == "sort";
  if (key == "data.separator") return d.kind == "lines" || (d.kind == "text" && made);
  if (key == "data.mask_share") return d.kind.starts_with("masked");
  if (key == "data.text_column") return (d.kind == "labels" || d.kind == "captions") && !made;
  if (key == "data.label_column") return d.kind == "labels" && !made;
  if (key == "data.image_column") return d.kind == "captions" && !made;
  if (key == "data.class_order") return d.kind == "labels" || d.kind == "tags";
  if (is_among(key, {"data.date_column", "data.series"})) return d.kind == "series" && !made;
  if (key == "data.missing") return d.kind == "series" && !made && d.missing != "ffill";
  if (is_among(key, {"data.train_rows", "data.valid_rows", "data.test_rows"}))
    return d.kind == "series";
  if (is_among(key, {"data.source_column", "data.target_column"}))
    return d.kind == "pairs" && !d.train.empty();
  if (key == "train.context") return d.kind != "images" && d.kind != "series";
  if (key == "train.batch_tokens") return d.kind == "pairs";
  if (key == "train.micro_batches") return d.kind == "pairs" && r.train.micro_batches > 0;
  if (key == "train.batch") return d.kind == "pairs" && r.train.batch_tokens == 0;
  return false;
}

// Labels of an IDX file may be found by its name.
std::string labels_of(const std::string& images, const std::string& labels) {
  if (images.empty() || !labels.empty()) return labels;
  const std::string path = find_data(images);
  return is_directory(path) ? "" : idx_labels_beside(path);
}

// The images that a table of captions names.
std::string images_in(const std::string& table, const DataRecipe& d) {
  Sha256 hash;
  for (const std::string& image : caption_images(read_captions(table, d))) {
    Sha256 one;
    read_file_in_pieces(image, [&](std::string_view piece) { one.update(piece); });
    hash.update(one.hex());
  }
  return kContents + hash.hex();
}

std::string weights_of(const std::string& directory) {
  Sha256 hash;
  const ModelFiles weights(directory);
  for (const SafetensorsFile& file : weights.files()) add_file(hash, file.path());
  return kContents + hash.hex();
}

// Of a tokenizer: one file, or what a directory has of them.
std::string tokenizer_contents(const std::string& path) {
  if (!is_directory(path)) return contents_of(path);
  Sha256 hash;
  for (const std::string& name : tokenizer_file_names())
    if (const std::string file = join_path(path, name); file_exists(file))
      hash.update(name).update(contents_of(file));
  return hash.hex();
}

// Another place is no change where the same bytes lie there.
bool same_contents(const std::string& was, const std::string& now,
                   std::string (*contents)(const std::string& path)) {
  if (was == now || same_path(was, now)) return true;
  const auto there = [](const std::string& path) {
    return is_directory(path) || file_exists(path);
  };
  if (was.empty() || now.empty() || !there(now)) return false;
  return !there(was) || contents(was) == contents(now);
}

}  // namespace

std::string contents_of(const std::string& path) {
  if (!is_directory(path)) return kContents + text_sha256(path);
  Sha256 hash;
  add_folder(hash, path);
  return kContents + hash.hex();
}

void ensure_begun_alike(const Recipe& recipe, const std::string& run) {
  const std::string file = join_path(run, "recipe.toml");
  if (!file_exists(file)) return;
  Recipe was = run_recipe(run), now = recipe;
  const std::vector<RecipeKey> old = recipe_keys(was), keys = recipe_keys(now);
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string key = text_of(keys[i].section, ".", keys[i].key);
    const Json before = value_of(old[i].field), after = value_of(keys[i].field);
    bool same = before == after;
    if (key == "tokenizer.from")
      same = same_contents(before.text(), after.text(), tokenizer_contents);
    else if (key == "model.from")  // of adapters the state knows more
      same = now.train.lora_rank > 0 || same_contents(before.text(), after.text(), weights_of);
    else if (!is_among(key, {"tokenizer.type", "tokenizer.vocab_size", "tokenizer.shared",
                             "tokenizer.normalize", "model.family"}))
      continue;
    ensure<FormatError>(same, file, ": \"", key, "\" was ", before.dump(), " and is ", after.dump(),
                        ", but a run that goes on keeps what it began with");
  }
}

RunInputs run_inputs(const Recipe& recipe) {
  RunInputs out;
  Recipe r = recipe;
  const DataRecipe& d = r.data;
  const auto file = [&](const char* key, const std::string& name) {
    if (!name.empty()) out.emplace_back(key, contents_of(find_data(name, d.where)));
  };
  if (d.make.empty()) {
    file("data.train", d.train), file("data.valid", d.valid);
    file("data.source", d.source), file("data.target", d.target);
    file("data.valid_source", d.valid_source), file("data.valid_target", d.valid_target);
    if (d.kind == "images") {
      file("data.train_labels", labels_of(d.train, d.train_labels));
      file("data.valid_labels", labels_of(d.valid, d.valid_labels));
    }
  }
  if (d.kind == "captions" && d.make.empty())
    for (const auto& [key, name] :
         {std::pair{"data.train_images", d.train}, std::pair{"data.valid_images", d.valid}})
      if (!name.empty()) out.emplace_back(key, images_in(name, d));
  if (d.generator == "random") out.emplace_back("data.generator", Json(d.generator).dump());
  if (!d.generator.empty() && d.generator != "random")
    out.emplace_back("data.generator", weights_of(d.generator));
  if (r.train.lora_rank > 0) out.emplace_back("model.from", weights_of(r.model.from));
  for (const RecipeKey& k : recipe_keys(r))
    if (const std::string key = text_of(k.section, ".", k.key); shapes_data(r, key))
      out.emplace_back(key, value_of(k.field).dump());
  return out;
}

}  // namespace jogak
