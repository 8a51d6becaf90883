#include "generate/batcher.h"

#include <numeric>

#include "base/utf8.h"
#include "tests/generate/fake_model.h"
#include "tests/support/expect.h"
#include "text/train/bpe.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

Ids prompt_of(size_t length, uint64_t seed, uint64_t vocab) {
  Rng rng(seed);
  Ids out;
  for (size_t i = 0; i < length; ++i) out.push_back(static_cast<int>(rng.below(vocab)));
  return out;
}

GenerateRequest request_of(uint64_t number) {
  GenerateRequest out;
  out.prompt = prompt_of(1 + number * 7 % 90, number, 50);
  out.sampling = {.temperature = number % 3 ? 0.9 : 0, .top_k = 10, .top_p = 0.9, .seed = number};
  out.max_new = 1 + static_cast<int64_t>(number % 13);
  out.eos_ids = {3};
  return out;
}

std::vector<Generated> run_all(int together, size_t requests) {
  FakeModel fake(50, 128);
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr, {.sequences = together, .rows = 150});
  std::vector<int64_t> handles;
  for (size_t i = 0; i < requests; ++i) handles.push_back(batcher.add(request_of(i)));
  batcher.finish_all();
  std::vector<Generated> out;
  for (const int64_t handle : handles) out.push_back(batcher.take(handle));
  EXPECT_EQ(batcher.cache().live_pages(), 0);
  return out;
}

TEST(Batcher, WhoElseRunsChangesNothing) {
  const std::vector<Generated> alone = run_all(1, 200);
  int ended = 0, full = 0;
  for (const int together : {3, 8}) {
    const std::vector<Generated> others = run_all(together, 200);
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(others[i].ids, alone[i].ids) << i;
      EXPECT_EQ(others[i].finish_reason, alone[i].finish_reason) << i;
      (alone[i].finish_reason == FinishReason::stop ? ended : full)++;
    }
  }
  EXPECT_GT(ended, 20);
  EXPECT_GT(full, 20);
}

TEST(Batcher, OnePassTakesNewPromptsAndRunningTextsTogether) {
  FakeModel fake(50, 128);
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr, {.sequences = 3, .rows = 20});
  const auto add = [&](size_t length, int64_t max_new) {
    return batcher.add({.prompt = prompt_of(length, length, 50), .max_new = max_new});
  };
  add(5, 4);
  add(7, 2);
  EXPECT_TRUE(batcher.step());  // both prompts
  const int64_t late = add(11, 1);
  add(10, 1);                   // with the one before it too many rows: waits
  EXPECT_TRUE(batcher.step());  // one token each, and the late prompt
  EXPECT_TRUE(batcher.done(late));
  EXPECT_EQ(batcher.running(), 1);
  batcher.finish_all();
  EXPECT_EQ(fake.steps, (std::vector<int64_t>{12, 13, 11, 1}));
  EXPECT_FALSE(batcher.step());
}

TEST(Batcher, LongPromptsAreReadInPieces) {
  FakeModel fake(50, 128);
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr, {.sequences = 8, .rows = 4});
  for (const size_t length : {9, 3, 1})
    batcher.add({.prompt = prompt_of(length, 1, 50), .max_new = 1});
  batcher.finish_all();
  EXPECT_EQ(fake.steps, (std::vector<int64_t>{4, 4, 4, 1}));
}

TEST(Batcher, EndsAtTheEndTokenTheLengthOrTheContext) {
  FakeModel fake = scripted(50, 20, 4, {8, 9, 10, 3, 11, 12});
  const CausalModel model = fake.model();
  const auto run = [&](int64_t max_new, const Ids& ends) {
    GenerateRequest request;
    request.prompt = {1, 2, 3, 4};
    request.max_new = max_new;
    request.eos_ids = ends;
    return generate(model, nullptr, request);
  };
  const Generated ended = run(10, {3});
  EXPECT_EQ(ended.ids, (Ids{8, 9, 10, 3}));
  EXPECT_STREQ(name_of(ended.finish_reason), "stop");
  const Generated cut = run(3, {3});
  EXPECT_EQ(cut.ids, (Ids{8, 9, 10}));
  EXPECT_STREQ(name_of(cut.finish_reason), "length");
  EXPECT_EQ(run(4, {3}).finish_reason, FinishReason::stop) << "the end token comes last";
  EXPECT_EQ(run(0, {}).ids.size(), 16u) << "prompt and text fill the context";
  EXPECT_EQ(run(1000, {}).ids.size(), 16u);
  EXPECT_EQ(run(1000, {}).finish_reason, FinishReason::length);
}

struct Shown {
  std::string text;
  std::vector<std::string> pieces;
  Generated result;
};

Shown show(const std::string& text, std::vector<std::string> stop, int64_t max_new = 0) {
  const Tokenizer tokenizer = train_bpe({}, {.vocab_size = 257, .special_tokens = {"<end>"}});
  Ids script = tokenizer.encode_ids(text);
  script.push_back(0);
  FakeModel fake = scripted(257, 200, 1, script);
  const CausalModel model = fake.model();
  Shown out;
  GenerateRequest request;
  request.prompt = {5};
  request.max_new = max_new;
  request.eos_ids = {0};
  request.stop = std::move(stop);
  request.on_text = [&](std::string_view piece) {
    EXPECT_EQ(utf8::first_invalid(piece), std::string::npos);
    out.pieces.emplace_back(piece);
    out.text += piece;
  };
  out.result = generate(model, &tokenizer, request);
  EXPECT_EQ(out.text, out.result.text) << "the pieces are the text";
  return out;
}

TEST(Batcher, StreamsWholeCharacters) {
  const Shown all = show("한글 🙂", {});
  EXPECT_EQ(all.pieces, (std::vector<std::string>{"한", "글", " ", "🙂"}));
  EXPECT_EQ(all.result.finish_reason, FinishReason::stop);
  EXPECT_EQ(all.result.ids.back(), 0);
}

TEST(Batcher, StopStringsEndTheTextAndAreNeverShown) {
  const Shown cut = show("한 줄\n\n둘째 줄", {"\n\n"});
  EXPECT_EQ(cut.text, "한 줄");
  EXPECT_EQ(cut.result.finish_reason, FinishReason::stop);
  EXPECT_EQ(cut.result.ids.size(), 9u) << "up to the token that completed it";
  const Shown single = show("한 줄\n둘째", {"\n\n"});
  EXPECT_EQ(single.text, "한 줄\n둘째") << "half of a stop string is text after all";
  const Shown end = show("abc\n", {"\n\n"});
  EXPECT_EQ(end.text, "abc\n") << "held back until the end token";
  EXPECT_EQ(show("abcdef", {"cd"}, 3).text, "abc");
  EXPECT_EQ(show("abcdef", {"cd"}, 3).result.finish_reason, FinishReason::length);
  EXPECT_EQ(show("abcdef", {"cd"}, 4).result.finish_reason, FinishReason::stop);
}

TEST(Batcher, ACharacterThatNeverEndsIsShownAsReplaced) {
  const Shown cut = show("a한", {}, 3);
  EXPECT_EQ(cut.text, "a\uFFFD");
  EXPECT_EQ(cut.result.finish_reason, FinishReason::length);
}

TEST(Batcher, CancelledTextsLeave) {
  FakeModel fake(50, 128);
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr, {.sequences = 2});
  const int64_t a = batcher.add(request_of(12)), b = batcher.add({.prompt = {1, 2}, .max_new = 5});
  const int64_t waiting = batcher.add({.prompt = {1}, .max_new = 5});
  batcher.step();
  batcher.cancel(a);
  batcher.cancel(waiting);
  EXPECT_EQ(batcher.waiting(), 0);
  batcher.finish_all();
  EXPECT_EQ(batcher.result(a).ids.size(), 1u);
  EXPECT_STREQ(name_of(batcher.result(a).finish_reason), "cancelled");
  EXPECT_TRUE(batcher.take(waiting).ids.empty());
  EXPECT_EQ(batcher.take(b).ids.size(), 5u);
  EXPECT_EQ(batcher.cache().live_pages(), 0);
}

TEST(Batcher, ATextCanBeCancelledFromItsOwnCallback) {
  const Tokenizer tokenizer = train_bpe({}, {.vocab_size = 256});
  FakeModel fake = scripted(256, 100, 1, tokenizer.encode_ids("abcdef"));
  const CausalModel model = fake.model();
  Batcher batcher(model, &tokenizer);
  int64_t handle = -1;
  GenerateRequest request;
  request.prompt = {5};
  request.on_text = [&](std::string_view piece) {
    if (piece != "c") return;
    batcher.cancel(handle);
    EXPECT_THROW(batcher.take(handle), Error);
    EXPECT_THROW(batcher.step(), Error);
  };
  handle = batcher.add(request);
  batcher.finish_all();
  EXPECT_EQ(batcher.take(handle).text, "abc");
}

TEST(Batcher, AFailedStepLeavesItUsable) {
  FakeModel fake(50, 128);
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr);
  const int64_t first = batcher.add({.prompt = {1, 2, 3}, .max_new = 9});
  batcher.step();
  fake.before_step = [] { fail<DeviceError>("out of memory"); };
  expect_error<DeviceError>([&] { batcher.step(); }, "out of memory");
  EXPECT_EQ(batcher.result(first).finish_reason, FinishReason::cancelled);
  EXPECT_EQ(batcher.cache().live_pages(), 0);
  fake.before_step = nullptr;
  const int64_t second = batcher.add({.prompt = {1, 2, 3}, .max_new = 9});
  batcher.finish_all();
  EXPECT_EQ(batcher.result(second).ids.size(), 9u);
}

TEST(Batcher, OneTextWithBrokenScoresDoesNotHurtTheOthers) {
  FakeModel good(50, 128);
  FakeModel fake(50, 128, [&](const Ids& text) {
    std::vector<float> scores(50, 0.f);
    scores[7] = text[0] == 1 && text.size() > 4 ? NAN : 1.f;
    return scores;
  });
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr);
  const int64_t bad = batcher.add({.prompt = {1, 2, 3}, .max_new = 6});
  const int64_t other = batcher.add({.prompt = {2, 2, 3}, .max_new = 6});
  int errors = 0;
  for (bool more = true; more;) {
    try {
      more = batcher.step();
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(batcher.result(bad).finish_reason, FinishReason::cancelled);
  EXPECT_EQ(batcher.result(other).ids, Ids(6, 7));
}

TEST(Batcher, TheStopFlagStopsIt) {
  FakeModel fake(50, 128);
  const CausalModel model = fake.model();
  std::atomic<bool> stop = false;
  Batcher batcher(model, nullptr, {}, &stop);
  const int64_t handle = batcher.add({.prompt = {1, 2, 3}, .max_new = 6});
  batcher.step();
  stop = true;
  expect_error<Stopped>([&] { batcher.step(); }, "stopped");
  EXPECT_EQ(batcher.take(handle).ids.size(), 1u);
}

// Prompts that begin alike, some of them word for word, in steps too small for any of them.
TEST(Batcher, PromptsThatBeginAlikeAreReadOnceAndChangeNothing) {
  const Ids start = prompt_of(200, 7, 50);
  const auto request = [&](size_t number) {
    GenerateRequest out{.prompt = Ids(start.begin(), start.begin() + 130 + 10 * (number % 7))};
    for (const int id : prompt_of(number % 3 * 20, number, 50)) out.prompt.push_back(id);
    out.sampling = {.temperature = 0.9, .seed = number};
    out.max_new = 70;
    return out;
  };
  FakeModel fake(50, 512);
  const CausalModel model = fake.model();
  std::vector<Generated> alone;
  for (size_t i = 0; i < 12; ++i) alone.push_back(generate(model, nullptr, request(i)));
  const auto rows_of = [&] {
    return std::accumulate(fake.steps.begin(), fake.steps.end(), int64_t{0});
  };
  const int64_t without = rows_of();
  fake.steps.clear();
  Batcher batcher(model, nullptr, {.sequences = 4, .rows = 48, .kept_pages = 16});
  std::vector<int64_t> handles;
  for (size_t i = 0; i < 12; ++i) handles.push_back(batcher.add(request(i)));
  batcher.finish_all();
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(batcher.take(handles[i]).ids, alone[i].ids) << i;
  EXPECT_LE(*std::max_element(fake.steps.begin(), fake.steps.end()), 48);
  EXPECT_LE(rows_of(), without - 11 * 128) << "11 of them share two pages at least";
  EXPECT_LE(batcher.cache().live_pages(), 16);
}

// What is asked of one client waits behind what others ask for, however much it is.
TEST(Batcher, ClientsTakeTurns) {
  FakeModel fake(50, 128);
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr, {.sequences = 2});
  std::vector<int64_t> greedy;
  for (int i = 0; i < 6; ++i)
    greedy.push_back(batcher.add({.prompt = {1, 2}, .max_new = 2, .client = 1}));
  const int64_t modest = batcher.add({.prompt = {3}, .max_new = 1, .client = 2});
  batcher.step();
  batcher.step();
  EXPECT_TRUE(batcher.done(greedy[0]));
  EXPECT_TRUE(batcher.step());
  EXPECT_TRUE(batcher.done(modest));
  EXPECT_FALSE(batcher.done(greedy[2]));
}

// The chances of a prompt do not depend on how it was read, and a token's own is among the best.
TEST(Batcher, ChancesAreTheSameHoweverThePromptIsRead) {
  FakeModel fake(50, 256);
  const CausalModel model = fake.model();
  GenerateRequest request{.prompt = prompt_of(150, 3, 50), .max_new = 5};
  request.chances = 3;
  request.prompt_chances = true;
  const Generated whole = generate(model, nullptr, request);
  Batcher batcher(model, nullptr, {.sequences = 2, .rows = 32, .kept_pages = 8});
  batcher.add({.prompt = request.prompt, .max_new = 3});
  const int64_t handle = batcher.add(request);
  batcher.finish_all();
  const Generated pieces = batcher.take(handle);
  ASSERT_EQ(whole.prompt_chances.size(), 150u);
  ASSERT_EQ(whole.chances.size(), 5u);
  EXPECT_FALSE(whole.prompt_chances[0].known);
  for (size_t i = 1; i < 150; ++i) {
    EXPECT_EQ(pieces.prompt_chances[i].chosen.id, request.prompt[i]);
    EXPECT_EQ(pieces.prompt_chances[i].chosen.logprob, whole.prompt_chances[i].chosen.logprob);
    ASSERT_EQ(pieces.prompt_chances[i].best.size(), 3u);
    EXPECT_GE(pieces.prompt_chances[i].best[0].logprob, pieces.prompt_chances[i].chosen.logprob);
  }
  for (const TokenChances& one : whole.chances)  // written greedily: each is the best
    EXPECT_EQ(one.best[0].logprob, one.chosen.logprob);
}

TEST(BatcherErrors, RequestsAreChecked) {
  FakeModel fake(50, 16);
  const CausalModel model = fake.model();
  Batcher batcher(model, nullptr);
  const auto refuse = [&](GenerateRequest request, const std::string& message) {
    expect_error<UsageError>([&] { batcher.add(request); }, message);
  };
  refuse({}, "prompt: found no tokens, wanted at least one");
  refuse({.prompt = {1, 50}},
         "prompt: found the token 50 at place 1, wanted 0 to 49: the tokenizer has more tokens "
         "than the model");
  refuse({.prompt = Ids(16, 1)},
         "prompt: found 16 tokens, wanted at most 15: the model's context is 16 tokens, one of "
         "them new");
  refuse({.prompt = {1}, .max_new = -1}, "new tokens: found -1, wanted a number from 0");
  refuse({.prompt = {1}, .sampling = {.top_p = 2}}, "top-p: found 2, wanted 0 to 1");
  refuse({.prompt = {1}, .stop = {"x"}},
         "generate: stop strings and text need a tokenizer, there is none");
  expect_error<Error>([&] { batcher.result(7); }, "generate: no sequence has the handle 7");
  EXPECT_FALSE(batcher.step());
}

}  // namespace
}  // namespace jogak
