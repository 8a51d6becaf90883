// What inspect shows, against what transformers computed.
#include "app/show/inspect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "data/image.h"
#include "generate/translate.h"
#include "look/alignment.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::golden_dir;

InspectCommand on_golden(const std::string& what, const std::string& name) {
  InspectCommand out{.what = what, .directory = golden_dir(name)};
  out.input.file = golden_dir(name) + "/golden.safetensors";
  return out;
}

struct Kind {
  const char *name, *tensors;
};

// Every row of every picture sums to 1 (or, fully masked, to 0), and is transformers' to 1e-4.
void expect_eager(const std::string& name, const Kind& kind, const SafetensorsFile& golden,
                  int64_t row) {
  InspectCommand c = on_golden("attention", name);
  c.attention = {.layer = AttentionChoice::kAll, .row = row, .kind = kind.name};
  const Inspection shown = inspect(c);
  ASSERT_FALSE(shown.plates.empty());
  for (const Plate& plate : shown.plates) {
    if (!plate.picture.backdrop.pixels.empty()) continue;  // the same over an image
    const Matrix& got = plate.picture.values;
    const int64_t layer = plate.about.at(1).second.integer(),
                  head = plate.about.at(2).second.integer();
    const Tensor all = golden.get(text_of(kind.tensors, ".", layer));  // [B, H, Tq, Tk]
    ASSERT_EQ(all.dim(2), got.rows);
    ASSERT_EQ(all.dim(3), got.columns);
    const auto wanted = to_host<float>(all);
    const int64_t from = (row * all.dim(1) + head) * got.size();
    for (int64_t i = 0; i < got.rows; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < got.columns; ++j) {
        sum += got.at(i, j);
        ASSERT_NEAR(got.at(i, j), wanted[static_cast<size_t>(from + i * got.columns + j)], 1e-4)
            << name << " " << plate.picture.name << " " << i << "," << j;
      }
      ASSERT_TRUE(sum == 0 || std::abs(sum - 1) < 1e-5) << sum;
    }
  }
}

class AttentionPictures : public testing::TestWithParam<std::string> {};

TEST_P(AttentionPictures, AreTransformersEagerAttentions) {
  const SafetensorsFile golden(golden_dir(GetParam()) + "/golden.safetensors");
  const bool two_sides = golden.has("cross_attentions.0");
  const int64_t rows = std::min<int64_t>(2, golden.get("attentions.0").dim(0));
  for (int64_t row = 0; row < rows; ++row) {
    expect_eager(GetParam(), {"self", "attentions"}, golden, row);
    if (!two_sides) continue;
    expect_eager(GetParam(), {"cross", "cross_attentions"}, golden, row);
    expect_eager(GetParam(), {"encoder", "encoder_attentions"}, golden, row);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionPictures,
                         testing::ValuesIn(test::goldens_with("attentions.0")),
                         [](const auto& one) { return test::test_name(one.param); });

TEST(InspectAttention, ChoosesLayerHeadAndKind) {
  InspectCommand c = on_golden("attention", "marian-a");
  EXPECT_EQ(inspect(c).plates.size(), 4u);  // cross, the last layer, all heads
  EXPECT_EQ(inspect(c).plates[0].picture.name, "attention.cross.1.0");
  c.attention = {.layer = 0, .head = 2, .kind = "encoder"};
  EXPECT_EQ(inspect(c).plates.at(0).picture.name, "attention.encoder.0.2");
  EXPECT_EQ(inspect(c).plates.size(), 1u);
  c.attention = {.transpose = true};
  const Picture transposed = inspect(c).plates[0].picture;
  EXPECT_EQ(transposed.values.rows, 9);
  EXPECT_EQ(transposed.values.columns, 10);
  for (const AttentionChoice& wrong :
       {AttentionChoice{.layer = 2}, AttentionChoice{.head = 4}, AttentionChoice{.row = 3},
        AttentionChoice{.kind = "series"}}) {
    c.attention = wrong;
    EXPECT_THROW(inspect(c), UsageError);
  }
}

// A row belongs to the token that the step writes, as in alignments.
TEST(InspectAttention, RowsOfCrossAttentionAreTheTokensBeingWritten) {
  InspectCommand c = on_golden("attention", "marian-a");
  c.attention.layer = 1;
  const Inspection shown = inspect(c);
  const std::vector<int> target = {24, 44, 4, 22, 11, 36, 45, 0};
  for (size_t i = 0; i < target.size(); ++i)
    EXPECT_EQ(shown.plates[0].picture.rows[i], text_of(target[i]));
}

TEST(InspectAttention, HeadsShareOneScale) {
  InspectCommand c = on_golden("attention", "gpt2-a");
  c.attention.layer = AttentionChoice::kAll;
  const Inspection shown = inspect(c);
  double most = 0;
  for (const Plate& plate : shown.plates)
    for (const double w : plate.picture.values.values) most = std::max(most, w);
  for (const Plate& plate : shown.plates) {
    EXPECT_EQ(plate.picture.high, shown.plates[0].picture.high);
    EXPECT_GE(plate.picture.high, most - 1e-6);
  }
}

TEST(InspectAttention, OfAnImageLiesOverTheImage) {
  const Inspection shown = inspect(on_golden("attention", "vit-a"));
  const Picture& map = shown.plates.front().picture;
  const Picture& image = shown.plates.back().picture;
  ASSERT_FALSE(image.backdrop.pixels.empty());
  EXPECT_EQ(image.values.size() + 1, map.values.columns);
  EXPECT_EQ(image.backdrop.rows % image.values.rows, 0);
  const Picture& last = shown.plates[shown.plates.size() / 2 - 1].picture;  // of the same head
  for (int64_t j = 0; j < image.values.size(); ++j)
    EXPECT_EQ(image.values.values[static_cast<size_t>(j)], last.values.at(0, j + 1));
  EXPECT_EQ(shown.plates.size() % 2, 0u);
  EXPECT_NE(to_svg(shown).find("class token"), std::string::npos);
}

TEST(InspectHeads, AreNamedInTheReadersLanguage) {
  InspectCommand c{.what = "heads", .directory = golden_dir("gpt2-a"), .lang = Lang::ko};
  const Inspection shown = inspect(c);
  const std::string text = to_text(shown, false, 100);
  for (const char* wanted : {"앞 토큰", "같은 토큰", "귀납", "엔트로피", "보는 것", "셀프"})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted;
  for (const char* english : {"previous", "induction", "entropy", "looks", "spread", "itself"})
    EXPECT_EQ(text.find(english), std::string::npos) << english;
  EXPECT_EQ(shown.tables[0].columns.back(), "looks");  // the JSON is the same in every language
}

TEST(InspectLens, TheLastLayerIsTheModelsAnswer) {
  for (const char* name : {"gpt2-a", "llama-b", "falcon-c", "bert-a", "marian-a"}) {
    const SafetensorsFile golden(golden_dir(name) + "/golden.safetensors");
    const Tensor logits = golden.get("logits");
    const auto all = to_host<float>(logits);
    const Inspection lens = inspect(on_golden("lens", name));
    const auto& last = lens.tables.at(0).rows.back();
    ASSERT_EQ(static_cast<int64_t>(last.size()), logits.dim(1) + 1);
    for (int64_t t = 0; t < logits.dim(1); ++t) {
      const auto begin = all.begin() + t * logits.dim(2), end = begin + logits.dim(2);
      EXPECT_EQ(last[static_cast<size_t>(t + 1)].text(),
                std::to_string(std::max_element(begin, end) - begin))
          << name << " " << t;
      double sum = 0;
      for (auto x = begin; x != end; ++x)
        sum += std::exp(double{*x} - *std::max_element(begin, end));
      const Matrix& p = lens.plates[0].picture.values;
      EXPECT_NEAR(p.at(p.rows - 1, t), 1 / sum, 1e-4);
    }
  }
}

TEST(InspectGradients, AreTheNormsOfTheGradientsByLayer) {
  for (const char* name : {"gpt2-a", "bert-a", "vit-a", "marian-a", "patchtst-a"}) {
    const SafetensorsFile golden(golden_dir(name) + "/golden.safetensors");
    const Inspection shown = inspect(on_golden("gradients", name));
    double of_all = 0, outside = 0;
    for (const auto& [fact, value] : shown.facts)
      if (fact == "outside") outside = value.number() * value.number();
    for (const auto& row : shown.tables.at(0).rows) {
      EXPECT_GT(row[1].number(), 0);
      outside += row[2].number() * row[2].number();
    }
    for (const std::string& tensor : golden.names())
      if (tensor.starts_with("grads."))
        for (const float x : to_host<float>(golden.get(tensor))) of_all += double{x} * x;
    EXPECT_NEAR(std::sqrt(outside), std::sqrt(of_all), 1e-4 * std::sqrt(of_all)) << name;
  }
}

// A head that is off gets no gradient through itself; a dropped skip changes what flows back.
TEST(InspectGradients, FlowPastWhatIsSwitchedOff) {
  InspectCommand c = on_golden("gradients", "gpt2-a");
  const double before = inspect(c).tables.at(0).rows[0][1].number();
  for (const char* off : {"residual", "head:1.2", "norm"}) {
    c.off = off;
    const double after = inspect(c).tables.at(0).rows[0][1].number();
    EXPECT_GT(after, 0) << off;
    EXPECT_NE(after, before) << off;
  }
}

TEST(InspectPositions, AreTheTablesOfEachFamily) {
  // sin(p / 10000^(2i/C)), all sines before all cosines
  const Picture marian =
      inspect({.what = "positions", .directory = golden_dir("marian-a"), .input = {.length = 8}})
          .plates.at(0)
          .picture;
  EXPECT_EQ(marian.values.rows, 8);
  EXPECT_NEAR(marian.values.at(3, 1), std::sin(3 / std::pow(10000, 2.0 / 32)), 1e-6);
  EXPECT_NEAR(marian.values.at(3, 16), std::cos(3), 1e-6);
  const Picture gpt =
      inspect({.what = "positions", .directory = golden_dir("gpt2-a"), .input = {.length = 8}})
          .plates.at(0)
          .picture;
  const auto wpe = to_host<float>(
      SafetensorsFile(golden_dir("gpt2-a") + "/model.safetensors").get("transformer.wpe.weight"));
  EXPECT_EQ(gpt.values.at(5, 7), wpe[5 * 32 + 7]);
  EXPECT_TRUE(gpt.diverging);
  const Picture llama =
      inspect({.what = "positions", .directory = golden_dir("llama-a"), .input = {.length = 8}})
          .plates.at(0)
          .picture;
  EXPECT_NEAR(llama.values.at(2, 0), std::cos(2),
              1e-6);  // the first pair turns by one radian a token
  const Inspection alibi =
      inspect({.what = "positions", .directory = golden_dir("falcon-b"), .input = {.length = 8}});
  // Slopes 1/4, 1/16, 1/64, 1/256 over the root of the head width 6; a key five tokens back.
  EXPECT_NEAR(alibi.plates.at(0).picture.values.at(0, 5), -5 * 0.25 / std::sqrt(6), 1e-6);
  for (const char* name : {"bert-a", "vit-a", "patchtst-a"})
    EXPECT_EQ(inspect({.what = "positions", .directory = golden_dir(name)}).plates.size(), 4u)
        << name;
}

TEST(InspectShapes, NameEveryStepAsTheCodeDoes) {
  for (const std::string& name : test::all_goldens()) {
    const Inspection shown = inspect({.what = "shapes", .directory = golden_dir(name)});
    EXPECT_GT(shown.tables.at(0).rows.size(), 15u) << name;  // falcon-h has one norm a layer
  }
  const auto rows = inspect(on_golden("trace", "gpt2-a")).tables.at(0).rows;
  const auto found = std::find_if(
      rows.begin(), rows.end(), [](const auto& row) { return row[0].text() == "h.1.attn.heads"; });
  ASSERT_NE(found, rows.end());
  EXPECT_EQ((*found)[1].text(), "[2, 17, 4, 8]");
  EXPECT_EQ(rows.back()[0].text(), "lm_head");
  const auto logits =
      to_host<float>(SafetensorsFile(golden_dir("gpt2-a") + "/golden.safetensors").get("logits"));
  double sum = 0;
  for (const float x : logits) sum += x;
  EXPECT_NEAR(rows.back()[2].number(), sum / static_cast<double>(logits.size()), 1e-4);
}

TEST(InspectWeights, CountEveryValueOnce) {
  const Inspection shown = inspect({.what = "weights", .directory = golden_dir("gpt2-a")});
  for (const auto& [fact, value] : shown.facts)
    for (const Json& shares : value.items()) {
      double sum = 0;
      for (const Json& share : shares.items()) sum += share.number();
      EXPECT_NEAR(sum, 1, 1e-9);
    }
  InspectCommand one{.what = "weights",
                     .directory = golden_dir("gpt2-a"),
                     .weights = {.layer = 1, .name = "c_fc.weight"}};
  EXPECT_EQ(inspect(one).tables.at(0).rows.size(), 1u);
  one.weights.name = "nothing";
  EXPECT_THROW(inspect(one), UsageError);
}

TEST(InspectFiles, AreWrittenByTheirNames) {
  const TempDir dir;
  const Inspection shown = inspect(on_golden("attention", "bert-a"));
  for (const char* name : {"x.svg", "x.html", "x.json", "x.txt", "x.png"})
    write_inspection(shown, dir / name);
  EXPECT_TRUE(read_file(dir / "x.svg").starts_with("<svg"));
  EXPECT_EQ(parse_json(read_file(dir / "x.json"), "x.json").find("pictures")->items().size(), 3u);
  const std::string html = read_file(dir / "x.html");
  EXPECT_EQ(html.find("src="), std::string::npos);
  EXPECT_EQ(html.find("href="), std::string::npos);
  const Image png = decode_png(read_file(dir / "x.png"), "x.png");
  EXPECT_EQ(png.channels, 3);
  EXPECT_GT(png.width, 600);
  EXPECT_THROW(write_inspection(shown, dir / "x.bmp"), UsageError);
}

}  // namespace
}  // namespace jogak
