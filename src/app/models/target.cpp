#include "app/models/target.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "base/format.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/unwaited.h"
#include "draw/marks.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModelFiles[] = {"config.json",
                                            "generation_config.json",
                                            "model.safetensors",
                                            "adapter_config.json",
                                            "adapter_model.safetensors",
                                            "model.safetensors.index.json",
                                            "series.json",
                                            "preprocessor_config.json",
                                            "modules.json",
                                            "sentence_bert_config.json",
                                            "config_sentence_transformers.json",
                                            "1_Pooling",
                                            "2_Normalize",
                                            "2_Dense",
                                            "3_Normalize"};
// What is read beside a tokenizer, though none is made of it alone.
constexpr std::string_view kBesideTokenizers[] = {"added_tokens.json", "special_tokens_map.json",
                                                  "chat_template.jinja"};
constexpr std::string_view kRunFiles[] = {"checkpoints",   "cache",       "recipe.toml",
                                          "metrics.jsonl", "result.json", "alignment.svg"};

template <size_t N>
bool is_one_of(const std::string_view (&names)[N], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool there(const std::string& path) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(path, failed));
}

bool has(const std::string& directory, const char* name) {
  return there(join_path(directory, name));
}

std::string model_in(const std::string& directory) {
  try {
    const Json config = read_json_file(join_path(directory, "config.json"));
    const Json* type = config.find("model_type");
    if (type && type->is_string()) return "a " + type->text() + " model";
  } catch (const Error&) {  // whatever it is, it is somebody's
  }
  return "a model";
}

// A recipe as a run writes it down. One that somebody wrote, with its comments, is not the run's to
// replace.
bool holds_recipe_of_a_run(const std::string& path) {
  const std::string file = join_path(path, "recipe.toml");
  if (!file_exists(file)) return false;
  const std::string text = read_file(file);
  return text.starts_with("schema = 1\n\n[model]\n") && text.find("\n#") == std::string::npos;
}

std::string what_directory(const std::string& path) {
  if (const int64_t step = newest_checkpoint(path); step >= 0)
    return text_of("a run at step ", step);
  if (has(path, "adapter_config.json")) return "adapters";
  if (has(path, "config.json")) return model_in(path);
  if (!written_names(path, is_model_file).empty()) return "a model";
  if (holds_recipe_of_a_run(path)) return kUnbegunRun;
  if (!written_names(path, is_tokenizer_file).empty()) return "a tokenizer";
  const std::vector<std::string> names = list_directory(path);
  if (names.size() < 2) return names.empty() ? "" : names[0];
  return text_of(names[0], " and ", names.size() - 1, " more");
}

// A name of this process's own in the same folder: renaming from there is one step.
std::string beside(const std::string& path, const char* what) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path plain = whole.has_filename() ? whole : whole.parent_path();
  const std::string name = text_of(".", plain.filename().string(), ".", what, "-", getpid());
  return (plain.parent_path() / name).string();
}

}  // namespace

bool is_model_file(const std::string& name) {
  const bool shard = name.starts_with("model-") && name.ends_with(".safetensors");
  return shard || is_one_of(kModelFiles, name);
}
bool is_tokenizer_file(const std::string& name) {
  const auto& names = tokenizer_file_names();
  return std::find(names.begin(), names.end(), name) != names.end() ||
         is_one_of(kBesideTokenizers, name);
}
bool is_run_file(const std::string& name) {
  return is_model_file(name) || is_tokenizer_file(name) || is_one_of(kRunFiles, name) ||
         name.starts_with("events.out.tfevents");
}

int64_t newest_checkpoint(const std::string& directory) {
  const std::string folder = join_path(directory, "checkpoints");
  constexpr std::string_view kPrefix = "step-";
  int64_t newest = -1;
  if (!is_directory(folder)) return newest;
  for (const std::string& name : list_directory(folder)) {
    const std::string digits = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : "";
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) continue;
    int64_t step = 0;
    for (const char c : digits.substr(0, 18)) step = 10 * step + (c - '0');
    newest = std::max(newest, step);
  }
  return newest;
}

std::vector<std::string> written_names(const std::string& directory,
                                       TargetDirectory::IsWritten written) {
  std::vector<std::string> out;
  if (!is_directory(directory)) return out;
  for (const std::string& name : list_directory(directory))
    if (written(name)) out.push_back(name);
  return out;
}

void replace_written(const std::string& from, const std::string& to,
                     TargetDirectory::IsWritten written) {
  const EndsItself whole;
  make_directories(to);
  const std::string old = beside(to, "old");
  for (const std::string& name : written_names(to, written)) {
    make_directories(old);
    fs::rename(join_path(to, name), join_path(old, name));
  }
  for (const std::string& name : list_directory(from))
    fs::rename(join_path(from, name), join_path(to, name));
  sync_directory(to);
  fs::remove_all(old);
  fs::remove_all(from);
}

std::string what_is_there(const std::string& path) {
  if (!there(path)) return "";
  if (is_directory(path)) return what_directory(path);
  std::error_code failed;
  const auto bytes = fs::file_size(path, failed);
  return failed ? "something that is no file" : "a file of " + format_bytes(bytes);
}

bool same_path(const std::string& a, const std::string& b) {
  std::error_code failed;
  return fs::equivalent(a, b, failed) && !failed;
}

void refuse_target(const Target& target, const std::string& what, const char* instead) {
  for (const std::string& input : target.inputs)
    ensure<UsageError>(!same_path(input, target.path), target.path,
                       ": is read here and would be written over; ", instead,
                       ", or say --overwrite");
  fail<UsageError>(target.path, ": holds ", what, "; ", instead, ", or say --overwrite");
}

void check_target_file(const Target& target, IsOurs ours) {
  std::error_code failed;
  ensure<UsageError>(!is_directory(target.path), target.path,
                     ": is a directory, wanted a file to write to");
  const bool file = fs::is_regular_file(target.path, failed);
  if (target.overwrite || !file) return;  // a device or a pipe is written to as it is
  const bool read = std::any_of(target.inputs.begin(), target.inputs.end(),
                                [&](const auto& input) { return same_path(input, target.path); });
  if (!read && ours && ours(target.path)) return;
  refuse_target(target, what_is_there(target.path), "choose another name");
}

bool is_drawing(const std::string& file) {
  using namespace std::string_view_literals;
  struct Sign {
    std::string_view begin, within;
  };
  constexpr Sign kSigns[] = {{"<svg", kSvgFonts},
                             {"<!doctype html", kPageMark},
                             {"\x89PNG", "tEXtSoftware\0jogak"sv},
                             {"{\"schema\":1,\"what\":", ""},
                             {"{\n \"schema\": 1,\n \"what\":", ""}};
  const MappedFile bytes(file);
  const std::string_view head = bytes.text().substr(0, 4096);
  for (const Sign& sign : kSigns)
    if (head.starts_with(sign.begin) && head.find(sign.within) != std::string_view::npos)
      return true;
  return head.empty();
}

TargetDirectory::TargetDirectory(Target target, IsWritten written)
    : target_(std::move(target)), written_(written) {
  ensure<UsageError>(!there(target_.path) || is_directory(target_.path), target_.path,
                     ": is a file, wanted a directory to write to");
  const bool of_a_model = written_("config.json");
  const bool stranger = !of_a_model && !written_names(target_.path, is_model_file).empty();
  if (!target_.overwrite && (stranger || !written_names(target_.path, written_).empty()))
    refuse_target(target_, what_is_there(target_.path), "choose another directory");
  if (file_exists(join_path(target_.path, ".lock"))) quiet_.emplace(target_.path);
  beside_ = beside(target_.path, "new");
  make_directories(beside_);
}

TargetDirectory::~TargetDirectory() { remove(); }

void TargetDirectory::remove() const { remove_unwaited(beside_); }

void TargetDirectory::finish() { replace_written(beside_, target_.path, written_); }

}  // namespace jogak
