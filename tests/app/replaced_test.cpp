// ELECTRA's way to learn: a model of masked text puts tokens in, another finds them.
#include "app/data/replaced_data.h"

#include <gtest/gtest.h>

#include "app/train/train.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

Encode letters() {  // a = 4, b = 5, ..
  return [](std::string_view text) {
    std::vector<int> out;
    for (const char c : text) out.push_back(c - 'a' + 4);
    return out;
  };
}

MaskedData hidden(double masked) {
  Masking m{.mask_id = 3, .pad_id = 0, .opening = {1}, .closing = {2}};
  m.vocab = 30, m.share = 0.3, m.masked = masked, m.random = 1 - masked;
  m.special = std::vector<bool>(30, false);
  for (size_t id = 0; id < 4; ++id) m.special[id] = true;
  return MaskedData({"abcdefghij", "klmno", "pqrstuvwxyz"}, "lines", letters(), 16, m);
}

// A model that always says one token.
EncoderModel sure_of(int64_t id) {
  EncoderModel out;
  out.predict = [id](const EncoderInput& in, Run&) {
    std::vector<float> logits(static_cast<size_t>(in.wanted.count() * 30), 0.0f);
    for (int64_t n = 0; n < in.wanted.count(); ++n) logits[static_cast<size_t>(n * 30 + id)] = 200;
    return from_values(logits, {in.wanted.count(), 30});
  };
  return out;
}

// One that knows nothing.
EncoderModel unsure() {
  EncoderModel out;
  out.predict = [](const EncoderInput& in, Run&) { return zeros({in.wanted.count(), 30}); };
  return out;
}

const std::vector<Pick> kPicks = {{0, 0}, {1, 0}, {2, 3}};

TEST(ReplacedData, LabelsSayWhichTokensAreOthers) {
  const int64_t c = 'c' - 'a' + 4;
  const EncoderModel generator = sure_of(c);
  const ReplacedData data(hidden(1), &generator, 5);
  const ReplacedBatch b = data.batch(kPicks);
  const auto ids = to_host<int64_t>(b.ids), labels = to_host<int64_t>(b.replaced);
  const std::string lines[] = {"abcdefghij", "klmno", "pqrstuvwxyz"};
  const int64_t T = b.ids.dim(1);
  int64_t replaced = 0, counted = 0;
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t t = 0; t < T; ++t) {
      const auto at = static_cast<size_t>(r * T + t);
      const auto length = static_cast<int64_t>(lines[r].size());
      if (t >= length + 2) {
        EXPECT_EQ(labels[at], -100);
        continue;
      }
      ++counted;
      const int64_t was = t == 0            ? 1
                          : t == length + 1 ? 2
                                            : lines[r][static_cast<size_t>(t - 1)] - 'a' + 4;
      EXPECT_EQ(labels[at], ids[at] != was);
      EXPECT_TRUE(ids[at] == was || ids[at] == c);
      replaced += labels[at];
    }
  EXPECT_GT(replaced, 0);
  EXPECT_EQ(b.count, counted);
}

TEST(ReplacedData, WhatIsDrawnFollowsFromTheExample) {
  const EncoderModel even = unsure();
  const ReplacedData data(hidden(1), &even, 5), again(hidden(1), &even, 5),
      other(hidden(1), &even, 6);
  const auto ids = [](const ReplacedBatch& b) { return to_host<int64_t>(b.ids); };
  EXPECT_EQ(ids(data.batch(kPicks)), ids(again.batch(kPicks)));
  EXPECT_NE(ids(data.batch(kPicks)), ids(other.batch(kPicks)));
  const std::vector<Pick> one = {kPicks[2]}, two = {kPicks[0], kPicks[2]};
  auto alone = ids(data.batch(one)), beside = ids(data.batch(two));
  beside.erase(beside.begin(), beside.begin() + static_cast<ptrdiff_t>(beside.size() / 2));
  EXPECT_EQ(alone, beside);
  EXPECT_EQ(ids(data.eval_batch(0, 3)), ids(data.eval_batch(0, 3)));
}

TEST(ReplacedData, WithoutAGeneratorOtherTokensArePutIn) {
  const ReplacedBatch b = ReplacedData(hidden(0), nullptr, 5).batch(kPicks);
  for (const int64_t id : to_host<int64_t>(b.ids)) EXPECT_NE(id, 3);  // no mask
  int64_t replaced = 0;
  for (const int64_t label : to_host<int64_t>(b.replaced)) replaced += label == 1;
  EXPECT_GT(replaced, 0);
}

std::string electra(const std::string& more) {
  return "[model]\nfamily = \"electra\"\nnum_hidden_layers = 1\nhidden_size = "
         "32\n[tokenizer]\ntype = "
         "\"char\"\n[data]\nkind = \"masked-lines\"\nmake = \"dates\"\ncount = 200\nvalid_count = "
         "20\n" +
         more + "[train]\nbatch = 8\nlr = 3e-3\nwarmup = 2\n";
}

// Fifteen of a hundred characters are chosen, 14 of a hundred tokens: their share alone costs 0.40.
TEST(Replaced, AnElectraLearnsToFindWhatAnotherPutIn) {
  const TempDir dir{memory_place()};
  const auto train = [&](const std::string& name, const std::string& toml) {
    return run_training({.recipe = parse_recipe(toml, name), .out = dir / name, .quiet = true});
  };
  train("generator", electra("") + "steps = 30\n");
  const std::string guessed = "generator = \"" + dir / "generator" + "\"\n";
  EXPECT_LT(train("found", electra(guessed) + "steps = 60\n").valid_loss, 0.39);
  const Json config = read_json_file(dir / "found/config.json");
  EXPECT_EQ(config.find("architectures")->items()[0].text(), "ElectraForPreTraining");
  EXPECT_LT(train("random", electra("generator = \"random\"\n") + "steps = 200\n").valid_loss,
            0.39);
}

TEST(ReplacedErrors, AModelThatDoesNotFillInIsRefused) {
  const TempDir dir{memory_place()};
  const auto train = [&](const std::string& toml) {
    run_training({.recipe = parse_recipe(toml, "r"), .out = dir / "out", .quiet = true});
  };
  std::string bert = electra("generator = \"random\"\n");
  bert.replace(bert.find("electra"), 7, "bert");
  EXPECT_NE(error_of<UsageError>([&] { train(bert); }).find("model.family = \"electra\" does"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
