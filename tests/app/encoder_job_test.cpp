#include "app/models/encoder_open.h"

#include <cmath>

#include "app/data/shape_files.h"
#include "app/measure/eval.h"
#include "app/train/train.h"
#include "base/file.h"
#include "data/image.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

using test::write_plain;

constexpr char kBert[] =
    "[model]\nfamily = \"bert\"\npreset = \"tiny\"\nhidden_size = 16\nnum_hidden_layers = 1\n"
    "intermediate_size = 16\nmax_position_embeddings = 48\n";
constexpr char kVit[] =
    "[model]\nfamily = \"vit\"\npreset = \"tiny\"\nhidden_size = 16\nnum_hidden_layers = 1\n"
    "intermediate_size = 16\n";
constexpr char kPatchTst[] =
    "[model]\nfamily = \"patchtst\"\npreset = \"tiny\"\ncontext_length = 24\n"
    "prediction_length = 6\npatch_length = 8\npatch_stride = 8\n";

TrainRequest command(const std::string& model, const std::string& data, const std::string& out,
                     int steps = 3, const std::string& train = "") {
  TrainRequest c;
  c.recipe = parse_recipe(text_of(model, "[data]\n", data, "[train]\nbatch = 4\nsteps = ", steps,
                                  "\nwarmup = 1\nseed = 7\n", train),
                          "test.toml");
  c.out = out, c.quiet = true;
  return c;
}

template <class Result>
Result scored(const std::string& directory, const std::string& data, const std::string& make = "",
              const std::string& part = "test") {
  EvalOptions c;
  c.directory = directory, c.data = data, c.make = make, c.part = part, c.count = 20;
  return std::get<Result>(evaluate(c));
}

constexpr char kMasked[] =
    "kind = \"masked-lines\"\nmake = \"dates\"\ncount = 40\nvalid_count = 9\n";

TEST(EncoderJobs, MaskedTextTrainsAndIsScored) {
  const TempDir dir;
  const TrainSummary result = run_training(command(kBert, kMasked, dir / "a", 4));
  EXPECT_EQ(result.end, TrainEnd::finished);
  const auto scores = scored<TextEval>(dir / "a", "", "dates");
  EXPECT_GT(scores.tokens, 20);
  EXPECT_NEAR(scores.perplexity(), std::exp(scores.loss), 1e-9);
  EXPECT_TRUE(Tokenizer::load(dir / "a").role_id("mask_token").has_value());
}

TEST(EncoderJobs, AResumedRunHidesTheSameTokens) {
  for (const std::string dtype : {"f32", "bf16"}) {
    const TempDir dir;
    const std::string constant =
        "schedule = \"constant\"\ncheckpoint_every = 2\ndtype = \"" + dtype + "\"\n";
    run_training(command(kBert, kMasked, dir / "whole", 4, constant));
    run_training(command(kBert, kMasked, dir / "parts", 2, constant));
    TrainRequest rest = command(kBert, kMasked, dir / "parts", 4, constant);
    rest.resume = true;
    run_training(rest);
    const std::string file = "/checkpoints/step-00000004/weights.safetensors";
    EXPECT_EQ(read_file(dir / "whole" + file), read_file(dir / "parts" + file)) << dtype;
  }
}

TEST(EncoderJobs, ALongTextIsMaskedInWindows) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "one two three four five six. ";
  write_plain(dir / "t.txt", text);
  run_training(
      command(kBert, "kind = \"masked\"\ntrain = \"" + dir / "t.txt" + "\"\n", dir / "run"));
  EXPECT_GT(scored<TextEval>(dir / "run", dir / "t.txt").loss, 0);
}

std::string reviews() {
  std::string out = "text,label\n";
  for (int i = 0; i < 60; ++i)
    out += i % 2 ? "\"good, very good\",yes\n" : text_of("bad ", i, ",no\n");
  return out;
}

TEST(EncoderJobs, ADirectoryWithoutTheHeadGetsAFreshOne) {
  const TempDir dir;
  write_plain(dir / "t.csv", reviews());
  run_training(command(kBert, kMasked, dir / "mlm"));
  const std::string labels = "kind = \"labels\"\ntrain = \"" + dir / "t.csv" + "\"\n";
  const std::string from = "[model]\nfrom = \"" + dir / "mlm" + "\"\n";
  TrainRequest c = command(from, labels, dir / "cls", 2, "metric = \"accuracy\"\n");
  const std::vector<Json::Member> changes = label_settings({"no", "yes"});
  const EncoderStart start = start_encoder(c.recipe, EncoderTask::classify, changes, {});
  EXPECT_EQ(start.renewed, (std::vector<std::string>{"pooler.dense.weight", "pooler.dense.bias",
                                                     "classifier.weight", "classifier.bias"}));
  const Model before = open_model(dir / "mlm");
  for (const Param& p : start.model.store->all())
    if (const Param* old = before.store->find(p.name)) {
      EXPECT_EQ(to_host<float>(p.value), to_host<float>(old->value)) << p.name;
    }
  const TrainSummary result = run_training(c);
  EXPECT_EQ(result.score_name, "accuracy");
  EXPECT_EQ(open_model(dir / "cls").encoder.labels.names, (std::vector<std::string>{"no", "yes"}));
  const auto scores = scored<LabelEval>(dir / "cls", dir / "t.csv");
  EXPECT_EQ(scores.examples, 60);
  EXPECT_LE(scores.f1, 1);
  // The same head goes on when the classes are the same.
  const std::string further = "[model]\nfrom = \"" + dir / "cls" + "\"\n";
  const Recipe again = command(further, labels, "").recipe;
  EXPECT_TRUE(start_encoder(again, EncoderTask::classify, changes, {}).renewed.empty());
  write_plain(dir / "other.csv", "text,label\na,maybe\n");
  EXPECT_NE(error_of<FormatError>([&] {
              scored<LabelEval>(dir / "cls", dir / "other.csv");
            }).find("found label \"maybe\""),
            std::string::npos);
}

std::string tagged(int count, int from) {
  std::string out;
  for (int i = from; i < from + count; ++i)
    out +=
        text_of("Ms\tO\nKim", i % 7, "\tB-PER\nof\tO\n", i % 3 ? "서울" : "Busan", "\tB-LOC\n\n");
  return out;
}

TEST(EncoderJobs, WordsWithTagsTrainAndAreScored) {
  const TempDir dir;
  write_plain(dir / "a.tsv", tagged(30, 0));
  write_plain(dir / "b.tsv", tagged(8, 3));
  for (const char* type : {"char", "bpe", "wordpiece"}) {
    const char* const size = std::string(type) == "char" ? "" : "vocab_size = 300\n";
    const std::string data =
        text_of("kind = \"tags\"\ntrain = \"", dir / "a.tsv", "\"\nvalid = \"", dir / "b.tsv",
                "\"\n[tokenizer]\n", size, "type = \"", type, "\"\n");
    const TrainSummary result =
        run_training(command(kBert, data, dir / type, 4, "metric = \"f1\"\neval_every = 2\n"));
    EXPECT_EQ(result.end, TrainEnd::finished);
    const auto scores = scored<TagEval>(dir / type, dir / "b.tsv");
    EXPECT_EQ(scores.words, 32);
    ASSERT_TRUE(scores.entities.has_value());
    EXPECT_EQ(scores.entities->count, 16);
    for (const double share :
         {scores.accuracy, scores.f1, scores.entities->precision, scores.entities->recall}) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1);
    }
    const Model model = open_model(dir / type);
    EXPECT_EQ(model.config.find("architectures")->items()[0].text(), "BertForTokenClassification");
    EXPECT_EQ(model.encoder.labels.names, (std::vector<std::string>{"B-LOC", "B-PER", "O"}));
  }
  write_plain(dir / "c.tsv", "Kim1\tB-PER\nis\tVERB\n");
  EXPECT_NE(error_of<FormatError>([&] {
              scored<TagEval>(dir / "char", dir / "c.tsv");
            }).find("line 1: found"),
            std::string::npos);
}

TEST(EncoderJobs, ImagesOfFoldersAndIdxFiles) {
  const TempDir dir;
  write_shape_folders({dir / "png", 12, 1, false});
  write_shape_idx({dir / "idx", 12, 1, false});
  const auto data = [&](const std::string& where) {
    return "kind = \"images\"\ntrain = \"" + dir / where + "\"\n";
  };
  run_training(command(kVit, data("png"), dir / "a", 2, "metric = \"f1\"\n"));
  EXPECT_EQ(open_model(dir / "a").encoder.labels.names,
            (std::vector<std::string>{"circle", "square", "triangle"}));
  EXPECT_TRUE(file_exists(dir / "a/preprocessor_config.json"));
  const auto from_png = scored<LabelEval>(dir / "a", dir / "png");
  EXPECT_EQ(from_png.examples, 12);
  const auto from_idx = scored<LabelEval>(dir / "a", dir / "idx/images-idx3-ubyte");
  EXPECT_EQ(from_idx.accuracy, from_png.accuracy);
  run_training(command(kVit, data("idx/images-idx3-ubyte"), dir / "b", 2));
  EXPECT_EQ(open_model(dir / "b").encoder.labels.names, (std::vector<std::string>{"0", "1", "2"}));
}

TEST(EncoderJobs, ColourPicturesStayInColour) {
  const TempDir dir;
  const auto picture = [](uint8_t red, uint8_t green) {
    Image out{8, 8, 3, {}};
    for (int i = 0; i < 64; ++i) out.pixels.insert(out.pixels.end(), {red, green, 90});
    return encode_png(out);
  };
  for (const std::string name : {"a", "b"})
    for (const int i : {0, 1, 2, 3, 4, 5}) {
      make_directories(dir / ("colour/" + name));
      make_directories(dir / ("grey/" + name));
      write_file(dir / text_of("colour/", name, "/", i, ".PNG"),
                 picture(90, static_cast<uint8_t>(i == 5 ? 200 : 90)));
      write_file(dir / text_of("grey/", name, "/", i, ".png"), picture(90, 90));
    }
  const auto channels = [&](const std::string& folder, const std::string& more = "") {
    run_training(command(kVit + more, "kind = \"images\"\ntrain = \"" + dir / folder + "\"\n",
                         dir / (folder + more.substr(0, 3)), 1));
    return open_model(dir / (folder + more.substr(0, 3))).encoder.channels;
  };
  EXPECT_EQ(channels("colour"), 3);
  EXPECT_EQ(channels("grey"), 1);
  EXPECT_EQ(channels("colour", "num_channels = 1\n"), 1) << "as the recipe says";
}

TEST(EncoderJobs, SeriesAreScoredOverEveryWindowOfAPart) {
  const TempDir dir;
  run_training(
      command(kPatchTst, "kind = \"series\"\nmake = \"series\"\ncount = 200\n", dir / "s", 2));
  const auto scores = scored<SeriesEval>(dir / "s", "", "series");
  EXPECT_EQ(scores.windows, 40 - 6 + 1);
  EXPECT_GT(scores.mse, 0);
  EXPECT_GT(scores.mse_repeat, 0);
  EXPECT_EQ(scored<SeriesEval>(dir / "s", "", "series", "valid").windows, 20 - 6 + 1);
  write_plain(dir / "two.csv", "date,a,b\n1,2,3\n");
  EXPECT_NE(error_of<FormatError>([&] {
              scored<SeriesEval>(dir / "s", dir / "two.csv");
            }).find("found 2 series, wanted 3"),
            std::string::npos);
}

TEST(EncoderJobErrors, TheWrongFamilyIsNamed) {
  const TempDir dir;
  error_of<UsageError>([&] { run_training(command(kVit, kMasked, dir / "x")); });
  error_of<UsageError>(
      [&] { run_training(command("", "kind = \"series\"\nmake = \"series\"\n", dir / "x")); });
  error_of<UsageError>(
      [&] { run_training(command(kBert, kMasked, dir / "x", 2, "metric = \"accuracy\"\n")); });
}

}  // namespace
}  // namespace jogak
