#include "app/train/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/train/recipe_keys.h"
#include "base/file.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

constexpr char kSmall[] = "[data]\nmake = \"dates\"\n";

std::string refusal_of(const std::string& toml) {
  try {
    parse_recipe(toml, "r.toml");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(Recipe, ReadsWritesAndReadsBack) {
  Recipe r = parse_recipe(
      std::string(kSmall) + "count = 7\n[model]\nn_layer = 3\n[train]\nlr = 1\n", "r.toml");
  EXPECT_EQ(r.data.count, 7);
  EXPECT_EQ(r.train.schedule.rate, 1.0);
  ASSERT_EQ(r.model.settings.size(), 1u);
  EXPECT_EQ(r.model.settings[0].first, "n_layer");
  apply_settings(r, {"train.batch=5", "model.n_layer=4", "train.schedule=linear"});
  const Recipe again = parse_recipe(to_toml(r), "again.toml");
  EXPECT_EQ(to_toml(again), to_toml(r));
  EXPECT_EQ(again.train.batch, 5);
  EXPECT_EQ(again.model.settings[0].second.integer(), 4);
  EXPECT_EQ(again.train.schedule.kind, ScheduleKind::linear);
}

// What a run keeps of its recipe is read again when it is resumed.
TEST(Recipe, SettingsOfAnyKindAreWrittenAsTheyAreRead) {
  Recipe r = parse_recipe(std::string(kSmall) +
                              "[model]\nimage_size = [8, 12]\nrope_parameters = { rope_type = "
                              "\"yarn\", factor = 2.0, \"odd key\" = [\"\\u007f\\n\"] }\n",
                          "r.toml");
  apply_settings(r,
                 {"model.list=[[1, 2], [\"a\"]]", "model.of a.b=x", "model.kinds={\"a b\": {}}"});
  ASSERT_EQ(r.model.settings.size(), 5u);
  EXPECT_EQ(r.model.settings[0].second.dump(), "[8,12]");
  const Recipe again = parse_recipe(to_toml(r), "again.toml");
  EXPECT_EQ(to_toml(again), to_toml(r));
  ASSERT_EQ(again.model.settings.size(), 5u);
  for (const auto& [key, value] : r.model.settings)
    EXPECT_NE(std::find(again.model.settings.begin(), again.model.settings.end(),
                        Json::Member{key, value}),
              again.model.settings.end())
        << key;
}

TEST(RecipeErrors, AreOneLineWhateverARecipeHolds) {
  const auto told = [](const std::string& setting) -> std::string {
    Recipe r = parse_recipe(kSmall, "r.toml");
    try {
      apply_settings(r, {setting});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told("no dot\nand a line"), "--set no dot\\nand a line: wanted section.key=value");
  EXPECT_NE(told("train.a\nb=3").find("unknown key 'train.a\\nb'"), std::string::npos);
  EXPECT_NE(told("model.n_inner=null").find("found null, which a recipe cannot hold"),
            std::string::npos);
  EXPECT_NE(told("model.n_inner=[{\"a\": null}]").find("found null"), std::string::npos);
  const std::string data = refusal_of("[data]\nmake = \"dates\"\ntrain = \"a\\nb\"\n");
  EXPECT_NE(data.find("a\\nb"), std::string::npos) << data;
  EXPECT_EQ(data.find('\n'), std::string::npos) << data;
}

TEST(Recipe, DataThatTheUserNamesWins) {
  const auto data = [](const std::string& toml, const std::vector<std::string>& settings) {
    Recipe r = parse_recipe(toml, "r.toml");
    apply_settings(r, settings);
    return r.data;
  };
  for (const auto& settings : {std::vector<std::string>{"data.train=a.csv"},
                               {"data.train=a.csv", "data.make="},
                               {"data.make=", "data.train=a.csv"}}) {
    const DataRecipe d = data(kSmall, settings);
    EXPECT_EQ(d.train, "a.csv");
    EXPECT_EQ(d.make, "");
  }
  const std::string pairs = "[data]\nkind = \"pairs\"\nsource = \"a\"\ntarget = \"b\"\n";
  EXPECT_EQ(data(pairs, {"data.train=t.tsv"}).source, "");
  EXPECT_EQ(data(pairs, {"data.make=dates"}).source, "");
  EXPECT_EQ(data(pairs, {"data.source=c"}).source, "c");
  EXPECT_EQ(data("[data]\ntrain = \"t\"\n", {"data.make=dates", "data.kind=lines"}).train, "");
  EXPECT_THROW(data(kSmall, {"data.train=a", "data.make=sort"}), UsageError);
  EXPECT_NE(refusal_of("[data]\nmake = \"dates\"\ntrain = \"a\"\n").find("wanted one of them"),
            std::string::npos);
  EXPECT_EQ(data(kSmall, {"data.kind=labels", "data.label_column=mood", "data.train=a.csv"}).kind,
            "labels")
      << "in any order, checked together";
}

TEST(Recipe, ThePageOfKeysIsCurrent) {
  const std::string page = source_path("docs/recipes.md");
  EXPECT_EQ(read_file(page), recipe_keys_page(Lang::en)) << "jogak train --keys > docs/recipes.md";
  Recipe r;
  for (const RecipeKey& k : recipe_keys(r)) {  // the examples are what a recipe may say
    const std::string toml = text_of("[", k.section, "]\n", k.key, " = ", k.example, "\n");
    const bool of_data = std::string(k.section) == "data";
    const std::string message = refusal_of(of_data ? toml : toml + kSmall);
    for (const char* wrong : {"wanted a ", "wanted one of", "wanted true", "unknown"})
      EXPECT_EQ(message.find(wrong), std::string::npos) << message;
    EXPECT_FALSE(k.about.ko.empty() || k.about.en.empty()) << k.key;
  }
}

TEST(Recipe, EveryRecipeOfTheProjectIsValid) {
  const std::string folder = source_path("recipes");
  for (const std::string& name : list_directory(folder)) read_recipe(join_path(folder, name));
}

TEST(RecipeErrors, AnUnknownKeyNamesTheLineAndTheNearest) {
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[train]\nbatchs = 3\n"),
            "r.toml: line 4: unknown key 'train.batchs', did you mean 'batch'?");
  EXPECT_NE(refusal_of(std::string(kSmall) + "[trian]\nbatch = 3\n").find("train"),
            std::string::npos);
}

TEST(RecipeErrors, WrongKindsAndValuesAreNamed) {
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[train]\nsteps = \"many\"\n"),
            "r.toml: line 4: \"steps\": found \"many\", wanted a whole number, 0 or more");
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[train]\nsteps = 0\n"),
            "r.toml: \"train.steps\": found 0, wanted 1 or more");
  EXPECT_NE(refusal_of(std::string(kSmall) + "[train]\nschedule = \"cosin\"\n").find("cosine"),
            std::string::npos);
  EXPECT_EQ(refusal_of(std::string(kSmall) + "[train]\noptimizer = \"adan\"\n"),
            "r.toml: line 4: \"optimizer\": found \"adan\", wanted one of adamw, adam, sgd");
  EXPECT_NE(refusal_of(std::string(kSmall) + "[train]\nlr = nan\n").find("not finite"),
            std::string::npos);
  EXPECT_NE(refusal_of("[train]\nsteps = 3\n").find("names no data"), std::string::npos);
  EXPECT_NE(refusal_of("steps = 3\n").find("outside a section"), std::string::npos);
  EXPECT_NE(refusal_of("schema = 9\n[data]\nmake=\"dates\"\n").find("schema = 1"),
            std::string::npos);
}

TEST(RecipeErrors, BrokenTomlNamesLineAndColumn) {
  EXPECT_EQ(refusal_of("[data\n").find("r.toml: line 1 column"), 0u);
  EXPECT_EQ(refusal_of("model.id2label=[}").find("r.toml: line 1 column 17"), 0u);
}

// Characters that toml++ 3.3 does not expect outside quotes, between others that it does.
TEST(RecipeErrors, LettersOutsideQuotesNameTheirLine) {
  for (const char* letter :
       {"\u00e9", "\u0498", "\u3042", "\u30ff", "\ufe00", "\ufb26", "\u1681", "\U0001f600"}) {
    const std::string small = kSmall;
    EXPECT_EQ(refusal_of(small + "count = 3 " + letter).find("r.toml: line 3 column"), 0u)
        << letter;
    EXPECT_EQ(refusal_of(small + letter + " = 3").find("r.toml: line 3 column"), 0u) << letter;
    const Recipe r =
        parse_recipe(small + "[model]\nname = \"\"\"a \\\n  " + letter + "\"\"\"", "r.toml");
    EXPECT_EQ(r.model.settings[0].second.text(), std::string("a ") + letter);
  }
}

TEST(RecipeErrors, ASettingOfTheCommandLineIsAUsageError) {
  Recipe r = parse_recipe(kSmall, "r.toml");
  EXPECT_THROW(apply_settings(r, {"train.lr"}), UsageError);
  EXPECT_THROW(apply_settings(r, {"train.leer=3"}), UsageError);
  EXPECT_THROW(apply_settings(r, {"train.steps=-3"}), UsageError);
}

}  // namespace
}  // namespace jogak
