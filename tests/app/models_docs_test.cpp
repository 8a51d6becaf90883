// docs/models.md is made from the families' records and their goldens:
// JOGAK_UPDATE_DOCS=1 app_tests --gtest_filter=ModelDocs*
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/use/forward.h"
#include "models/families.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

const char* task_of(const Model& model) {
  if (model.translates()) return "translate";
  if (!model.encodes()) return "generate";
  if (model.matches()) return "classify, embed";
  switch (model.encoder.task) {
    case EncoderTask::embed: return "embed";
    case EncoderTask::fill: return "fill";
    case EncoderTask::classify: return "classify";
    case EncoderTask::tag: return "tag";
    case EncoderTask::answer: return "answer";
    case EncoderTask::detect: return "detect";
    case EncoderTask::forecast: return "forecast";
  }
  return "";
}

struct Measured {
  std::string tasks;   // in the order of the goldens
  double largest = 0;  // of what the model gives, beside transformers
};

Measured measured(const Family& family) {
  Measured out;
  for (const std::string& name : test::goldens_of(family.model_type)) {
    const Model model = open_model(test::golden_dir(name));
    const SafetensorsFile golden(test::golden_dir(name) + "/golden.safetensors");
    Run run;
    for (const auto& [tensor, value] : forward(model, ForwardInputs(golden), run).named)
      if (golden.has(tensor))
        out.largest = std::max(out.largest, test::relative_distance(value, golden.get(tensor)));
    const std::string task = task_of(model);
    if (out.tasks.find(task) == std::string::npos)
      out.tasks += (out.tasks.empty() ? "" : ", ") + task;
  }
  return out;
}

std::string positions_of(const Family& family) {
  const Json config = family.complete(Json::object(family.presets.at(0).config), "preset");
  const ModelOutline outline = family.outline(config, "preset");
  constexpr const char* kBlocks[] = {"after the sum", "before", "before, side by side",
                                     "behind, before the sum", "before and behind"};
  return text_of(outline.positions, " | ", outline.norm, " ",
                 kBlocks[static_cast<size_t>(outline.block)], " | ", outline.activation);
}

// `difference`: a column that is measured, not known.
std::string row(const Family& family, const std::string& difference, const std::string& tasks) {
  std::string goldens;
  for (const std::string& name : test::goldens_of(family.model_type))
    goldens += (goldens.empty() ? "" : ", ") + name;
  return text_of("| `", family.model_type, "` | `", family.name, "` | ", tasks, " | ",
                 positions_of(family), " | ", goldens, " | ", difference, " |\n");
}

constexpr const char* kAbove =
    "# Models\n\n"
    "Made from the families' records and their goldens, not by hand; after a change of either:\n\n"
    "    JOGAK_UPDATE_DOCS=1 build/tests/app_tests --gtest_filter='ModelDocs*'\n\n"
    "The same test fails where this page and the program differ. Directories of these types are\n"
    "opened, run, trained, looked into and written; what a configuration asks for that is not\n"
    "computed is refused by its key. Each golden of `tests/goldens` is a tiny model with settings\n"
    "of its own, and what transformers computes with it: results, loss, insides, every gradient;\n"
    "of many ten steps of training, texts and beams, too. The last column is the largest\n"
    "difference of a family's results, relative to the largest number.\n\n"
    "| `model_type` | `--family` | commands | positions | norms | activation | goldens | "
    "max\\|a-b\\| / max\\|b\\| |\n"
    "|---|---|---|---|---|---|---|---|\n";

std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", x);
  return text;
}

TEST(ModelDocs, TheTableIsThatOfTheFamilies) {
  const std::string path = source_path("docs/models.md");
  std::vector<Measured> all;
  for (const Family& family : families()) all.push_back(measured(family));
  if (const char* update = std::getenv("JOGAK_UPDATE_DOCS"); update && std::string(update) == "1") {
    std::ofstream out(path);
    out << kAbove;
    for (size_t i = 0; i < all.size(); ++i)
      out << row(families()[i], rounded(all[i].largest), all[i].tasks);
  }
  std::ifstream file(path);
  std::stringstream found;
  found << file.rdbuf();
  const std::string page = found.str(), hint = "; run with JOGAK_UPDATE_DOCS=1";
  ASSERT_TRUE(page.starts_with(kAbove)) << hint;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string known = row(families()[i], "", all[i].tasks);
    const std::string start = known.substr(0, known.size() - std::string(" |\n").size());
    const size_t at = page.find(start);
    ASSERT_NE(at, std::string::npos) << "no row " << known << hint;
    // Another instruction set rounds otherwise, but not by much.
    const double told = std::atof(page.c_str() + at + start.size());
    EXPECT_LE(all[i].largest, 10 * told) << known << hint;
  }
}

}  // namespace
}  // namespace jogak
