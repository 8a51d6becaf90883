#include "base/file.h"
#include "base/json.h"
#include "models/families.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::string golden(const std::string& name) { return source_path("tests/goldens/") + name; }

Arguments on(const std::string& what, const std::string& name) {
  return {"inspect", what, golden(name), "--input", golden(name) + "/golden.safetensors"};
}

TEST(InspectCommand, TakesWhatAndWhereInEitherOrder) {
  const Arguments one = on("attention", "gpt2-a");
  Arguments other = one;
  std::swap(other[1], other[2]);
  const Result got = jogak(one);
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.err, "");
  EXPECT_EQ(got.out, jogak(other).out);
  EXPECT_NE(got.out.find("layer 1 · head 3"), std::string::npos);
}

TEST(InspectCommand, WritesEveryKindOfFile) {
  const TempDir dir;
  for (const char* name : {"x.svg", "x.png", "x.html", "x.json"}) {
    Arguments words = on("attention", "vit-a");
    words.insert(words.end(), {"--head", "1", "--out", dir / name});
    const Result got = jogak(words);
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(got.out, (dir / name) + "\n");
    EXPECT_GT(read_file(dir / name).size(), 500u);
  }
  EXPECT_TRUE(read_file(dir / "x.png").starts_with("\x89PNG"));
  const Json json = parse_json(read_file(dir / "x.json"), "x.json");
  EXPECT_EQ(json.find("schema")->integer(), 1);
  EXPECT_EQ(json.find("tokens")->items()[0].text(), "[CLS]");
}

TEST(InspectCommand, ShowsEverythingOfEveryFamily) {
  for (const Family& family : families()) {
    const std::string_view type = family.model_type;
    const bool bare =
        type == "patchtsmixer" || type == "timesfm";  // the first: of heads, positions
    const std::string name = test::goldens_of(family.model_type).at(bare ? 1 : 0);
    for (const char* what :
         {"attention", "positions", "shapes", "trace", "heads", "gradients", "lens", "weights"}) {
      Arguments words = on(what, name);
      words.insert(words.end(), {"--json", "--threads", "1"});
      const Result got = jogak(words);
      const bool silent = name.starts_with("patchts") || type == "timesfm" || name == "clip-a";
      const bool none = std::string(what) == "lens" && silent;  // no words to be read after a layer
      ASSERT_EQ(got.code, none ? 2 : 0) << name << " " << what << ": " << got.err;
      EXPECT_TRUE(none || parse_json(got.out, "out").find("what")->text() == what);
    }
  }
}

TEST(InspectCommandErrors, SayWhatWasWanted) {
  const auto err = [](Arguments words, const Arguments& more) {
    words.insert(words.end(), more.begin(), more.end());
    const Result got = jogak(words);
    EXPECT_EQ(got.code, 2) << got.err;
    return got.err;
  };
  EXPECT_EQ(err(on("attention", "gpt2-a"), {"--layer", "7"}),
            "jogak: --layer: found 7, the model has 2 layers, counted from 0\n");
  EXPECT_EQ(err(on("attention", "gpt2-a"), {"--kind", "cross"}),
            "jogak: --kind: found \"cross\", this model has self\n");
  EXPECT_NE(err({"inspect", "atention", golden("gpt2-a")}, {}).find("attention"),
            std::string::npos);
  EXPECT_EQ(err({"inspect", "attention", golden("gpt2-a")}, {}),
            "jogak: found no input, wanted --text TEXT, or --input FILE.safetensors\n");
  EXPECT_NE(err(on("attention", "gpt2-a"), {"--out", "x.gif"}).find(".svg"), std::string::npos);
  EXPECT_EQ(jogak({"inspect", "trace", golden("gpt2-a"), "--text", "hello"}).code, 66);
  EXPECT_EQ(jogak({"inspect", "trace", golden("nowhere"), "--text", "hello"}).code, 66);
}

TEST(AblateCommand, ComparesAndComplains) {
  const Arguments words = {"ablate", golden("gpt2-a"), "--input",
                           golden("gpt2-a") + "/golden.safetensors"};
  const auto with = [&](const Arguments& more) {
    Arguments all = words;
    all.insert(all.end(), more.begin(), more.end());
    return jogak(all);
  };
  const Result json = with({"--off", "head:0.1,ffn:1", "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(parse_json(json.out, "out").find("off")->text(), "head:0.1,ffn:1");
  EXPECT_NE(with({"--off", "mask", "--lang", "ko"}).out.find("전과 후"), std::string::npos);
  EXPECT_EQ(with({"--patch", "layer:0", "--from-input", words[3]}).code, 0);
  EXPECT_EQ(with({}).err, "jogak: wanted one of --off PARTS, --each PART and --patch PARTS\n");
  EXPECT_EQ(with({"--patch", "layer:0"}).code, 2);
  const Result wrong = with({"--off", "heads:0.1"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("(did you mean \"head\"?)"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace jogak
