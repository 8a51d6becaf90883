// The labels of a classifier as configurations have them.
#include <charconv>
#include <unordered_map>

#include "nn/labels.h"

namespace jogak {
namespace {

// A number in a small file may not take more memory than this many names.
constexpr int64_t kMostLabels = 1 << 17;
constexpr const char* kProblems[] = {"", "single_label_classification",
                                     "multi_label_classification", "regression"};

// {"0": "cat", "1": "dog"}: every id from 0 on, once.
std::vector<std::string> read_names(const Fields& fields) {
  const Json& map = fields.at("id2label");
  const auto wrong = [&](const Json& at) {
    fields.wrong(at, "id2label", "an object that names the ids 0, 1, 2, ..");
  };
  if (!map.is_object() || map.members().empty()) wrong(map);
  const auto count = static_cast<int64_t>(map.members().size());
  std::vector<std::string> names(map.members().size());
  for (const auto& [key, name] : map.members()) {
    int64_t id = -1;
    std::from_chars(key.data(), key.data() + key.size(), id);
    if (id < 0 || id >= count || std::to_string(id) != key || !name.is_string()) wrong(name);
    names[static_cast<size_t>(id)] = name.text();  // keys differ, so each id comes once
  }
  return names;
}

}  // namespace

Labels read_labels(const Fields& f) {
  Labels out;
  if (f.has("id2label")) {
    out.names = read_names(f);
  } else {
    out.names.clear();
    const int64_t count = f.integer_or("num_labels", 2, {1, kMostLabels});
    for (int64_t i = 0; i < count; ++i) out.names.push_back(text_of("LABEL_", i));
  }
  if (!f.has("problem_type")) return out;
  const std::string& name = f.text("problem_type");
  for (const Problem kind : {Problem::single_label, Problem::multi_label, Problem::regression})
    if (name == kProblems[static_cast<size_t>(kind)]) out.problem = kind;
  if (out.problem == Problem::by_targets)
    f.wrong(f.at("problem_type"), "problem_type",
            text_of(kProblems[1], ", ", kProblems[2], " or ", kProblems[3]));
  if (out.problem == Problem::single_label && out.count() == 1)
    f.wrong(f.at("problem_type"), "problem_type",
            "regression or multi_label_classification where there is one label");
  return out;
}

void write_labels(const Labels& labels, Json& config) {
  std::vector<Json::Member> names, ids;
  std::unordered_map<std::string_view, size_t> at;  // where a name stands in `ids`
  for (int64_t i = 0; i < labels.count(); ++i) {
    const std::string& name = labels.names[static_cast<size_t>(i)];
    names.emplace_back(std::to_string(i), name);
    if (const auto [seen, fresh] = at.emplace(name, ids.size()); fresh)
      ids.emplace_back(name, i);
    else
      ids[seen->second].second = i;
  }
  config.set("id2label", Json::object(std::move(names)));
  config.set("label2id", Json::object(std::move(ids)));
  if (labels.problem != Problem::by_targets)
    config.set("problem_type", kProblems[static_cast<size_t>(labels.problem)]);
}

}  // namespace jogak
