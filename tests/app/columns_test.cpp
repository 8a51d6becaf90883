// A run remembers how its data was read: the same file is scored and gone on with without being
// told again.
#include "app/data/text_lines.h"
#include "app/measure/eval.h"
#include "app/train/train.h"
#include "app/use/encoder.h"
#include "app/use/forecaster.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

void train(const std::string& recipe, const std::string& out) {
  run_training({.recipe = parse_recipe(recipe + "[train]\nsteps = 2\nbatch = 4\n", "r.toml"),
                .out = out,
                .quiet = true});
}

TEST(RememberedColumns, OfTextsWithLabels) {
  const TempDir dir;
  std::string table = "id\tdocument\tmood\n";
  for (int i = 0; i < 40; ++i)
    table += text_of(i, i % 2 ? "\tgood film\tyes\n" : "\tbad film\tno\n");
  write_file(dir / "t.tsv", table);
  train(
      "[model]\nfamily = \"bert\"\nhidden_size = 16\nnum_hidden_layers = 1\nintermediate_size = "
      "16\n"
      "[data]\nkind = \"labels\"\ntext_column = \"document\"\nlabel_column = \"mood\"\ntrain = \"" +
          dir / "t.tsv" + "\"\n",
      dir / "run");
  EvalOptions options;
  options.directory = dir / "run", options.data = dir / "t.tsv";
  EXPECT_EQ(std::get<LabelEval>(evaluate(options)).examples, 40);
  options.label_column = "id";
  error_of<FormatError>([&] { evaluate(options); });
  const auto lines = table_texts(dir / "t.tsv", run_recipe(dir / "run").data.text_column);
  ASSERT_EQ(lines.size(), 40u);
  EXPECT_EQ(lines[1].name, dir / "t.tsv: line 3");
  EXPECT_EQ(Encoder(dir / "run").classify(lines)[1].input, "good film");
}

TEST(RememberedColumns, OfSeries) {
  const TempDir dir;
  std::string table = "when,load,wind,noise\n";
  for (int i = 0; i < 120; ++i)
    table += text_of("2031-05-", i / 24 + 10, " ", i % 24 / 10, i % 24 % 10, ":00,", i % 7, ",",
                     i % 5, ",0.", i % 3 + 1, "\n");
  write_file(dir / "t.csv", table);
  train(
      "[model]\nfamily = \"patchtst\"\ncontext_length = 16\nprediction_length = 4\npatch_length = "
      "8\npatch_stride = 8\n[data]\nkind = \"series\"\ndate_column = \"when\"\nseries = \"wind, "
      "load\"\ntrain = \"" +
          dir / "t.csv" + "\"\n",
      dir / "run");
  const Forecast ahead = Forecaster(dir / "run").forecast(dir / "t.csv");
  ASSERT_EQ(ahead.panels.at(0).size(), 2u);
  EXPECT_EQ(ahead.panels[0][0].name, "wind");
  EvalOptions options;
  options.directory = dir / "run", options.data = dir / "t.csv";
  EXPECT_GT(std::get<SeriesEval>(evaluate(options)).windows, 0);
}

TEST(RememberedColumns, OfLines) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += text_of("say ", i % 10, " -> ", i % 10, "\n");
  write_file(dir / "t.txt", lines);
  train(
      "[model]\nn_layer = 1\nn_embd = 16\nn_head = 2\nn_positions = 32\n[data]\nkind = "
      "\"lines\"\nseparator = \" -> \"\ntrain = \"" +
          dir / "t.txt" + "\"\n",
      dir / "run");
  EvalOptions options;
  options.directory = dir / "run", options.data = dir / "t.txt";
  const auto found = std::get<TextEval>(evaluate(options));
  ASSERT_TRUE(found.exact.has_value());
  EXPECT_EQ(found.exact->lines, 60);
}

}  // namespace
}  // namespace jogak
