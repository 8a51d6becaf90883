#include "data/tag_data.h"

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "text/train/bpe.h"
#include "text/train/char.h"

namespace jogak {
namespace {

using Words = std::vector<std::string>;

TaggedTexts read(const TempDir& dir, const std::string& name, const std::string& text) {
  write_file(dir / name, text);
  return read_tagged_texts(dir / name);
}

TEST(TaggedTexts, TheSameFromEveryFormat) {
  const TempDir dir;
  const TaggedTexts wanted = read(dir, "a.tsv", "Kim\tB-PER\nran\tO\n\n서울\tB-LOC\n");
  ASSERT_EQ(wanted.sentences.size(), 2u);
  EXPECT_EQ(wanted.sentences[0].words, (Words{"Kim", "ran"}));
  EXPECT_EQ(wanted.sentences[1].line, 4);
  EXPECT_EQ(joined_words(wanted.sentences[0]), "Kim ran");
  EXPECT_EQ(tags_of(wanted), (Words{"B-PER", "O", "B-LOC"}));
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"b.conll", "-DOCSTART- -X- O O\n\nKim NNP I-NP B-PER\r\nran VBD  O \n\n\n서울 X B-LOC"},
           {"c.txt", "Kim x y B-PER\nran x y O\n \t\n서울 x y B-LOC\n"},
           {"d.jsonl", R"({"tokens":["Kim","ran"],"labels":["B-PER","O"]})"
                       "\n\n"
                       R"({"tokens":["서울"],"ner_tags":["B-LOC"],"id":"7"})"}}) {
    const TaggedTexts got = read(dir, name, text);
    ASSERT_EQ(got.sentences.size(), 2u) << name;
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(got.sentences[i].words, wanted.sentences[i].words) << name;
      EXPECT_EQ(got.sentences[i].tags, wanted.sentences[i].tags) << name;
    }
  }
  EXPECT_EQ(tags_of(read(dir, "n.jsonl", R"({"tokens":["a b"],"tags":[3]})")), (Words{"3"}));
  EXPECT_EQ(read(dir, "t.tsv", "a b\tx y\tO\n").sentences[0].words[0], "a b");
}

TEST(TaggedTextErrors, EachNamesItsLine) {
  const TempDir dir;
  const struct {
    const char *name, *text, *says;
  } cases[] = {
      {"a.tsv", "a\tO\nb\n", "line 2: found one column, wanted a word and its tag"},
      {"a.tsv", "\tO\n", "line 1: found one column"},
      {"a.tsv", "a\t\n", "line 1: found one column"},
      {"a.conll", "\n\n", "found no sentence"},
      {"a.jsonl", "{\"tokens\":[\"a\"]}", "\"labels\""},
      {"a.jsonl", R"({"tokens":["a"],"tags":["O","O"]})", "found 1 tokens and 2 tags"},
      {"a.jsonl", R"({"tokens":[1],"tags":["O"]})", "wanted words"},
      {"a.jsonl", R"({"tokens":["a"],"tags":[0.5]})", "wanted a tag, or the number of one"},
      {"a.jsonl", "[", "line 1"},
      {"a.tsv", "a\tO\n\xFF\tO\n", "line 2"},
  };
  for (const auto& c : cases) {
    const std::string error = error_of<FormatError>([&] { read(dir, c.name, c.text); });
    EXPECT_TRUE(error.starts_with(dir / c.name)) << error;
    EXPECT_NE(error.find(c.says), std::string::npos) << error;
  }
  EXPECT_THROW(read(dir, "a.csv", "a,O\n"), UsageError);
  EXPECT_THROW(read_tagged_texts(dir / "none.tsv"), MissingError);
}

TaggedTexts sentence(Words words, Words tags) {
  return {{{std::move(words), std::move(tags), 5}}, "x"};
}

TEST(TagData, TheFirstTokenOfAWordHasItsTag) {
  const std::string text = "ab 가나 c";
  const std::vector<std::string_view> texts(1, text);
  const Tokenizer by_char = train_char(texts, {});
  const TaggedTexts one = sentence({"ab", "가나", "c"}, {"O", "X", "Y"});
  const auto data = [&](const Tokenizer& t, int64_t context) {
    return TagData(one, {"O", "X", "Y"}, [&](std::string_view s) { return t.encode(s); },
                   {context, 0});
  };
  const LabelBatch batch = data(by_char, 20).eval_batch(0, 5);
  EXPECT_EQ(to_host<int64_t>(batch.targets),  // a b _ 가 나 _ c
            (std::vector<int64_t>{0, -100, -100, 1, -100, -100, 2}));
  EXPECT_EQ(batch.count, 3);
  const TagData cut = data(by_char, 5);
  EXPECT_EQ(cut.shortened(), 1);
  EXPECT_EQ(cut.words(), 2);
  // Byte-level tokens carry the blank before them; a syllable's bytes are one word's, too.
  const Tokenizer by_byte = train_bpe(texts, {.vocab_size = 257});
  const LabelBatch bytes = data(by_byte, 40).eval_batch(0, 1);
  EXPECT_EQ(bytes.count, 3);
  int64_t counted = 0;
  for (const int64_t target : to_host<int64_t>(bytes.targets)) {
    if (target < 0) continue;
    EXPECT_EQ(target, counted++);
  }
}

TEST(TagData, RowsAreFilledUpAndUnknownTagsNamed) {
  const std::string text = "ab c";
  const Tokenizer t = train_char(std::vector<std::string_view>{text}, {});
  TaggedTexts two = sentence({"ab", "c"}, {"O", "X"});
  two.sentences.push_back({{"c"}, {"X"}, 9});
  const auto encode = [&](std::string_view s) { return t.encode(s); };
  const LabelBatch batch = TagData(two, {"O", "X"}, encode, {20, 0}).eval_batch(0, 2);
  EXPECT_EQ(batch.ids.shape(), (Shape{2, 4}));
  EXPECT_EQ(to_host<int64_t>(batch.targets),
            (std::vector<int64_t>{0, -100, -100, 1, 1, -100, -100, -100}));
  EXPECT_TRUE(batch.mask.defined());
  EXPECT_EQ(batch.count, 3);
  const std::string error = error_of<FormatError>([&] { TagData(two, {"O"}, encode, {20, 0}); });
  EXPECT_TRUE(error.starts_with("x: line 5: found tag \"X\"")) << error;
}

}  // namespace
}  // namespace jogak
