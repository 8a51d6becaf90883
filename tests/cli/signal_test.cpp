#include <signal.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "text/train/bpe.h"

namespace jogak {
namespace {

struct WithTokenizer : testing::Test {
  TempDir dir;
  WithTokenizer() { train_bpe({}, {.vocab_size = 256}).save(dir.path()); }
  Arguments encode() const { return {"tokenizer", "encode", dir.path(), "--jsonl"}; }
};

TEST_F(WithTokenizer, AnswersEveryLineAtOnce) {
  Running run(encode());
  for (const std::string text : {"a", "한글"}) {
    run.write(json_quote(text) + "\n");
    const Json line = parse_json(run.read_line(), "line");
    EXPECT_EQ(line.find("ids")->items().size(), text.size());
  }
  EXPECT_EQ(run.finish().code, 0);
}

TEST_F(WithTokenizer, StopsWhileItWaits) {
  for (const auto& [number, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 75)}) {
    Running run(encode());
    run.write("\"a\"\n");
    run.read_line();  // it runs and waits
    run.signal(number);
    const std::string told = run.read_error_line();
    EXPECT_EQ(told, "jogak: stopped");
    EXPECT_EQ(run.finish().code, code);
  }
}

TEST_F(WithTokenizer, AReaderThatLeavesIsNoError) {
  Running run(encode());
  run.write("\"a\"\n");
  run.read_line();
  run.close_output();
  for (int i = 0; i < 5; ++i) run.write("\"a\"\n");
  const Result got = run.finish();
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.err, "");
}

// SentencePiece's library knows no way to be stopped, and takes long on many different words.
TEST(StopTraining, NothingIsWritten) {
  const TempDir dir;
  std::string text;
  for (int64_t i = 0; i < 300000; ++i)
    text += text_of(i * 7919 % 1000003, i % 2 ? "년 " : " of ", i * 104729 % 1299709, "\n");
  write_file(dir / "a.txt", text);
  Running run({"tokenizer", "train", "--type", "unigram", "--vocab-size", "30000", "--files",
               dir / "a.txt", "--out", dir / "tok"});
  EXPECT_NE(run.read_error_line().find("learning pieces, seconds"), std::string::npos);
  run.signal(SIGINT);
  std::string told = run.read_error_line();
  while (told.find("learning") != std::string::npos) told = run.read_error_line();
  EXPECT_EQ(told, "jogak: stopped");
  EXPECT_EQ(run.finish().code, 130);
  EXPECT_FALSE(file_exists(dir / "tok"));
}

// What was finished before the mistake is still shown.
TEST_F(WithTokenizer, AMistakeInALineNamesItsByte) {
  const Result got = jogak(encode(), {.input = "\"a\"\n\"b\"\n[1]\n"});
  EXPECT_EQ(got.code, 65);
  EXPECT_EQ(got.out,
            "{\"ids\":[64],\"tokens\":[\"a\"],\"offsets\":[[0,1]]}\n"
            "{\"ids\":[65],\"tokens\":[\"b\"],\"offsets\":[[0,1]]}\n");
  EXPECT_EQ(got.err, "jogak: standard input: byte 8: line 3: found an array, wanted a string\n");
  const Result bytes = jogak({"tokenizer", "encode", dir.path()}, {.input = "ok\nb\xff\n"});
  EXPECT_EQ(bytes.code, 65);
  EXPECT_EQ(
      bytes.err,
      "jogak: standard input: byte 4: line 2: found bytes that are not UTF-8, wanted UTF-8 text\n");
}

}  // namespace
}  // namespace jogak
