// `jogak eval --hypotheses`: two files, no model.
#include "base/file.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

class ScoreCommandLine : public testing::Test {
 protected:
  TempDir dir;
  std::string hyp = dir / "hyp", ref = dir / "ref", other = dir / "other";

  void SetUp() override {
    write_file(hyp, "The cat sat on the mat.\n고양이가 앉았다.\n\n");
    write_file(ref, "the cat sat on a mat.\r\n고양이가 앉아 있다.\r\n\r\n");
    write_file(other, "a cat was on the mat.\n그 고양이가 앉았다.\n \n");
  }

  Json json(Arguments more) {
    Arguments all{"eval", "--hypotheses", hyp, "--references", ref, "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const Result got = jogak(all);
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(got.err, "");
    return parse_json(got.out.empty() ? "{}" : got.out, "stdout");
  }
};

TEST_F(ScoreCommandLine, GivesTheScoresAndTheirSignatures) {
  const Json plain = json({});
  EXPECT_EQ(plain.find("schema")->integer(), 1);
  EXPECT_EQ(plain.find("lines")->integer(), 3);
  EXPECT_EQ(plain.find("precisions")->items().size(), 4u);
  EXPECT_TRUE(plain.find("signature")->text().starts_with("nrefs:1|case:mixed|eff:no|tok:13a|"));
  EXPECT_TRUE(plain.find("chrf_signature")->text().starts_with("nrefs:1|case:mixed|eff:yes|nc:6|"));
  EXPECT_EQ(plain.find("bleu_mean"), nullptr);
  EXPECT_GT(plain.find("chrf")->number(), 50);
  const double bleu = plain.find("bleu")->number();
  EXPECT_GT(json({"--lowercase"}).find("bleu")->number(), bleu);
  EXPECT_GT(json({"--references", other}).find("bleu")->number(), bleu);
  EXPECT_TRUE(json({"--references", other}).find("signature")->text().starts_with("nrefs:2|"));
  const Json characters = json({"--bleu-tokenize", "char"});
  EXPECT_NE(characters.find("bleu")->number(), bleu);
  EXPECT_NE(characters.find("signature")->text().find("|tok:char|"), std::string::npos);
}

TEST_F(ScoreCommandLine, SmoothsAsSacrebleuNamesIt) {
  write_file(dir / "few", "one two three five\n");  // no four words as in the reference
  write_file(dir / "one", "one two three four\n");
  const auto scored = [&](Arguments more) {
    more.insert(more.begin(),
                {"eval", "--json", "--hypotheses", dir / "few", "--references", dir / "one"});
    const Result got = jogak(more);
    EXPECT_EQ(got.code, 0) << got.err;
    return parse_json(got.out, "stdout");
  };
  // sacrebleu 2.6: corpus_bleu(["one two three five"], [["one two three four"]], smooth_method=...)
  const std::tuple<const char*, const char*, double> cases[] = {
      {"exp", "|smooth:exp|", 59.46035575013605},
      {"floor", "|smooth:floor[0.10]|", 39.763536438352535},
      {"add-k", "|smooth:add-k[1.00]|", 65.80370064762462},
      {"none", "|smooth:none|", 0},
  };
  for (const auto& [name, signature, score] : cases) {
    const Json got = scored({"--smooth", name});
    EXPECT_NE(got.find("signature")->text().find(signature), std::string::npos) << name;
    EXPECT_NEAR(got.find("bleu")->number(), score, 1e-9) << name;
  }
  EXPECT_EQ(scored({}).find("bleu")->number(), scored({"--smooth", "exp"}).find("bleu")->number());
  const Json more = scored({"--smooth", "floor", "--smooth-value", "0.5"});
  EXPECT_NE(more.find("signature")->text().find("|smooth:floor[0.50]|"), std::string::npos);
  EXPECT_EQ(jogak({"eval", "--hypotheses", hyp, "--references", ref, "--smooth", "loud"}).code, 2);
  const Result got =
      jogak({"eval", "--hypotheses", hyp, "--references", ref, "--smooth-value", "0.5"});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.err, "jogak: found the smoothing exp with a value, wanted floor or add-k\n");
}

TEST_F(ScoreCommandLine, GivesAnInterval) {
  const Json one = json({"--bootstrap", "100"}), again = json({"--bootstrap", "100"});
  EXPECT_EQ(one.dump(), again.dump());
  EXPECT_GT(one.find("bleu_half_width")->number(), 0);
  EXPECT_GT(one.find("chrf_mean")->number(), 0);
  EXPECT_TRUE(one.find("signature")->text().starts_with("nrefs:1|bs:100|seed:12345|"));
  EXPECT_TRUE(json({"--bootstrap", "100", "--seed", "3"})
                  .find("signature")
                  ->text()
                  .starts_with("nrefs:1|bs:100|seed:3|"));
}

TEST_F(ScoreCommandLine, PrintsLinesToQuote) {
  const Result got = jogak({"eval", "--hypotheses", hyp, "--references", ref});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_TRUE(got.out.starts_with("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"));
  EXPECT_NE(got.out.find("\nchrF2|nrefs:1|"), std::string::npos);
  EXPECT_NE(got.out.find("(BP = "), std::string::npos);
}

TEST_F(ScoreCommandLine, WhatIsWrong) {
  const auto refused = [&](const Arguments& arguments, int code, const std::string& message) {
    const Result got = jogak(arguments);
    EXPECT_EQ(got.code, code);
    EXPECT_EQ(got.err, "jogak: " + message + "\n");
  };
  write_file(dir / "short", "one\ntwo\n");
  write_file(dir / "empty", "");
  write_file(dir / "bad", "one\nt\xFF\nthree\n");
  refused({"eval", "--hypotheses", hyp, "--references", dir / "short"}, 65,
          hyp + ": found 3 lines, and 2 in " + (dir / "short") + ", wanted as many in both");
  refused({"eval", "--hypotheses", dir / "empty", "--references", dir / "empty"}, 65,
          (dir / "empty") + ": found no line, wanted translations");
  refused({"eval", "--hypotheses", hyp, "--references", dir / "bad"}, 65,
          (dir / "bad") + ": line 2 col 2: found a byte that is not UTF-8, wanted UTF-8 text");
  EXPECT_EQ(jogak({"eval", "--hypotheses", hyp, "--references", dir / "none"}).code, 66);
  EXPECT_EQ(jogak({"eval", "--hypotheses", hyp}).code, 2);
  EXPECT_EQ(jogak({"eval", "--references", ref}).code, 2);
  EXPECT_EQ(jogak({"eval"}).code, 2);
  EXPECT_EQ(jogak({"eval", dir / "model", "--hypotheses", hyp, "--references", ref}).code, 2);
  EXPECT_EQ(
      jogak({"eval", "--hypotheses", hyp, "--references", ref, "--bleu-tokenize", "intl"}).code, 2);
}

}  // namespace
}  // namespace jogak
