// Every wrong tokenizer file gets one line that says where and what; every odd but right one loads.
#include <ctime>

#include "tests/text/helpers.h"

namespace jogak {
namespace {

constexpr const char* kBase =
    R"({"version":"1.0","truncation":null,"padding":null,)"
    R"("added_tokens":[{"id":4,"content":"<s>","single_word":false,"lstrip":false,)"
    R"("rstrip":false,"normalized":false,"special":true}],)"
    R"("normalizer":null,"pre_tokenizer":null,"post_processor":null,"decoder":null,)"
    R"("model":{"type":"BPE","dropout":null,"unk_token":null,"vocab":{"a":0,"b":1,"ab":2,"c":3},)"
    R"("merges":["a b"]}})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kBase;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Wrong {
  const char *name, *from, *to;
  const char* at;     // the byte named is that of this text in the changed file
  const char* error;  // what follows the byte
};

const Wrong kWrong[] = {
    {"not JSON", "{\"version\"", "<html>", "<html>", "found '<', wanted a JSON value"},
    {"garbage behind", "\"merges\":[\"a b\"]}}", "\"merges\":[\"a b\"]}} x", "x",
     "found 'x', wanted the end of the document"},
    {"key twice", "\"version\":\"1.0\"", "\"padding\":null", "\"padding\":null,\"added",
     "found key \"padding\" a second time, wanted each key once"},
    {"version", "\"1.0\"", "\"2.0\"", "\"2.0\"", "\"version\": found \"2.0\", wanted \"1.0\""},
    {"unknown key", "\"truncation\"", "\"trunkation\"", "null,\"padding",
     "key \"trunkation\" is not known here"},
    {"truncation", "\"truncation\":null", "\"truncation\":{}", "{},\"padding",
     "key \"max_length\" is missing"},
    {"model type", "\"BPE\"", "\"Magic\"", "\"Magic\"", "model of type \"Magic\" is not supported"},
    {"model type of another kind", "\"BPE\"", "7", "7,\"dropout",
     "\"type\": found 7, wanted a string"},
    {"unknown model key", "\"dropout\":null", "\"drop\":null", "null,\"unk",
     "key \"drop\" is not known here"},
    {"dropout", "\"dropout\":null", "\"dropout\":0.1", "0.1",
     "\"dropout\": found 0.1, wanted it to be off: it is not supported"},
    {"byte fallback", "\"dropout\":null", "\"byte_fallback\":1", "1,\"unk",
     "\"byte_fallback\": found 1, wanted true or false"},
    {"prefix longer than a part", "\"dropout\":null", "\"continuing_subword_prefix\":\"##\"",
     "\"a b\"", "the right part of a merge is shorter than the prefix"},
    {"padding", "\"padding\":null", "\"padding\":{\"strategy\":\"Longest\"}", "\"Longest\"",
     "\"strategy\": found \"Longest\", wanted \"BatchLongest\" or {\"Fixed\": length}"},
    {"huge padding", "\"padding\":null", "\"padding\":{\"strategy\":{\"Fixed\":99999999999}}",
     "99999999999", "\"Fixed\": found 99999999999, wanted an integer from 0 to 1048576"},
    {"truncation strategy", "\"truncation\":null",
     R"("truncation":{"max_length":5,"strategy":"Some"})", "\"Some\"",
     "\"strategy\": found \"Some\", wanted LongestFirst, OnlyFirst or OnlySecond"},
    {"unknown special token of a template", "\"post_processor\":null",
     R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[X]",)"
     R"("type_id":0}}],"pair":[],"special_tokens":{}})",
     "\"[X]\"", "special token \"[X]\" is not among \"special_tokens\""},
    {"second text in a template for one", "\"post_processor\":null",
     R"("post_processor":{"type":"TemplateProcessing","single":[{"Sequence":{"id":"B",)"
     R"("type_id":0}}],"pair":[],"special_tokens":{}})",
     "\"B\"", "\"id\": found \"B\", wanted \"A\""},
    {"special tokens without ids", "\"post_processor\":null",
     R"("post_processor":{"type":"TemplateProcessing","single":[],"pair":[],)"
     R"("special_tokens":{"x":{"id":"x","ids":[],"tokens":["x"]}}})",
     "[],\"tokens", "found 0 ids for 1 tokens, wanted as many"},
    {"classifier token", "\"post_processor\":null",
     R"("post_processor":{"type":"BertProcessing","sep":["[SEP]",-1],"cls":["[CLS]",1]})",
     "[\"[SEP]\"", "\"sep\": wanted [\"token\", id]"},
    {"strip of two characters", "\"decoder\":null",
     R"("decoder":{"type":"Strip","content":"ab","start":0,"stop":0})", "\"ab\",\"start",
     "\"content\": found \"ab\", wanted one character"},
    {"charsmap", "\"normalizer\":null",
     R"("normalizer":{"type":"Precompiled","precompiled_charsmap":"A"})", "\"A\"}",
     "precompiled_charsmap: found base64 of 1 characters, wanted a multiple of 4"},
    {"id twice", "\"b\":1", "\"b\":0", "0,\"ab", "id 0 is given twice, to \"a\" and \"b\""},
    {"id with a gap", "\"c\":3", "\"c\":1000004", "1000004",
     "token \"c\": found 1000004, wanted an id from 0 to 1000003 (4 tokens and at most 1000000 "
     "numbers left out)"},
    {"negative id", "\"c\":3", "\"c\":-1", "-1",
     "token \"c\": found -1, wanted an id from 0 to 1000003 (4 tokens and at most 1000000 "
     "numbers left out)"},
    {"id of another kind", "\"c\":3", "\"c\":\"3\"", "\"3\"",
     "token \"c\": found a string, wanted an id from 0 to 1000003 (4 tokens and at most 1000000 "
     "numbers left out)"},
    {"id with a point", "\"c\":3", "\"c\":3.5", "3.5",
     "token \"c\": found 3.5, wanted an id from 0 to 1000003 (4 tokens and at most 1000000 "
     "numbers left out)"},
    {"huge id", "\"c\":3", "\"c\":99999999999999999999", "99999999999999999999",
     "token \"c\": found 1e+20, wanted an id from 0 to 1000003 (4 tokens and at most 1000000 "
     "numbers left out)"},
    {"vocab an array", "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"c\":3}", "\"vocab\":[]",
     "[],\"merges", "found an array, wanted an object of tokens and ids"},
    {"part of a merge missing", "\"a b\"", "\"a x\"", "\"a x\"",
     "the merge of \"a\" and \"x\" needs the token \"x\", which is not in the vocabulary"},
    {"join of a merge missing", "\"a b\"", "\"b c\"", "\"b c\"",
     "the merge of \"b\" and \"c\" needs the token \"bc\", which is not in the vocabulary"},
    {"merge of one", "\"a b\"", "\"ab\"", "\"ab\"]", "the merge \"ab\" has 1 part, wanted 2"},
    {"merge of three", "\"a b\"", "\"a b c\"", "\"a b c\"",
     "the merge \"a b c\" has 3 parts, wanted 2"},
    {"pair of one", "\"a b\"", "[\"a\"]", "[\"a\"]", "a merge has 1 part, wanted 2"},
    {"pair of three", "\"a b\"", "[\"a\",\"b\",\"c\"]", "[\"a\",\"b\",\"c\"]",
     "a merge has 3 parts, wanted 2"},
    {"pair of numbers", "\"a b\"", "[1,2]", "1,2",
     "part of a merge: found an integer, wanted a "
     "string"},
    {"merge a number", "\"a b\"", "12", "12]",
     "a merge: found an integer, wanted \"left right\" or [\"left\", \"right\"]"},
    {"empty part", "\"a b\"", "\"a \"", "\"a \"", "a merge has an empty part"},
    {"merge twice", "\"a b\"", "\"a b\",[\"a\",\"b\"]", "[\"a\",\"b\"]",
     "the merge of \"a\" and \"b\" is there a second time"},
    {"merges an object", "[\"a b\"]", "{}", "{}}}", "\"merges\": found an object, wanted an array"},
    {"added id of a token", "\"id\":4", "\"id\":3", "{\"id\"",
     "added token \"<s>\" has the id 3 of the token \"c\""},
    {"added token with another id", "\"content\":\"<s>\"", "\"content\":\"c\"", "{\"id\"",
     "added token \"c\" has the id 4, the vocabulary gives it 3"},
    {"empty added token", "\"content\":\"<s>\"", "\"content\":\"\"", "{\"id\"",
     "an added token is empty"},
    {"negative added id", "\"id\":4", "\"id\":-4", "-4",
     "\"id\": found -4, wanted an integer from 0 to 1000004"},
    {"added id with a gap", "\"id\":4", "\"id\":2000000", "2000000",
     "\"id\": found 2000000, wanted an integer from 0 to 1000004"},
    {"added id twice", "\"special\":true}", "\"special\":true},{\"id\":4,\"content\":\"<t>\"}",
     "{\"id\":4,\"content\":\"<t>\"", "added tokens \"<s>\" and \"<t>\" have the same id 4"},
    {"added token twice", "\"special\":true}", "\"special\":true},{\"id\":5,\"content\":\"<s>\"}",
     "{\"id\":5", "added token \"<s>\" is there a second time"},
    {"unknown key of an added token", "\"lstrip\"", "\"strip\"", "false,\"rstrip",
     "key \"strip\" is not known here"},
    {"normalizer", "\"normalizer\":null", "\"normalizer\":{\"type\":\"Nfc?\"}", "\"Nfc?\"",
     "normalizer of type \"Nfc?\" is not supported"},
    {"normalizer without type", "\"normalizer\":null", "\"normalizer\":{}", "{},\"pre",
     "normalizer has no \"type\""},
    {"pre_tokenizer", "\"pre_tokenizer\":null", "\"pre_tokenizer\":{\"type\":\"Cut\"}", "\"Cut\"",
     "pre_tokenizer of type \"Cut\" is not supported"},
    {"post_processor", "\"post_processor\":null", "\"post_processor\":{\"type\":\"X\"}", "\"X\"",
     "post_processor of type \"X\" is not supported"},
    {"decoder", "\"decoder\":null", "\"decoder\":{\"type\":\"X\"}", "\"X\"",
     "decoder of type \"X\" is not supported"},
    {"missing bytes", "\"pre_tokenizer\":null", "\"pre_tokenizer\":{\"type\":\"ByteLevel\"}",
     "{\"a\":0", "the vocabulary has no token \"\u0100\" for the byte value 0"},
    {"regular expression", "\"pre_tokenizer\":null",
     R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a)\\1"},"behavior":"Isolated"})",
     R"("(a)\\1")", R"(the regular expression "(a)\\1" has "\\1", which is not supported)"},
    {"unknown property", "\"pre_tokenizer\":null",
     R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\p{Q}"},"behavior":"Isolated"})",
     R"("\\p{Q}")",
     R"(the regular expression "\\p{Q}" names the property "Q", which is not known)"},
    {"two patterns", "\"pre_tokenizer\":null",
     R"("pre_tokenizer":{"type":"Split","pattern":{"String":"a","Regex":"a"},"behavior":"X"})",
     "{\"String\"", "a pattern needs either \"String\" or \"Regex\""},
    {"behavior", "\"pre_tokenizer\":null",
     R"("pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"Kept"})", "\"Kept\"",
     "\"behavior\": found \"Kept\", wanted Removed, Isolated, MergedWithPrevious, "
     "MergedWithNext or Contiguous"},
    {"unknown key of a component", "\"decoder\":null", R"("decoder":{"type":"Fuse","x":1})",
     "1},\"model", "key \"x\" is not known here"},
};

TEST(Malformed, EachIsNamedWithItsByte) {
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(wrong.name);
    const std::string text = with(wrong.from, wrong.to);
    const size_t byte = text.find(wrong.at);
    ASSERT_NE(byte, std::string::npos);
    const std::string error =
        error_of<FormatError>([&] { Tokenizer::from_json(text, "tokenizer.json"); });
    EXPECT_EQ(error, text_of("tokenizer.json: byte ", byte, ": ", wrong.error));
  }
}

TEST(Malformed, MissingKeys) {
  EXPECT_EQ(error_of<FormatError>([] { Tokenizer::from_json("{}", "t.json"); }),
            "t.json: byte 0: key \"model\" is missing");
  EXPECT_EQ(error_of<FormatError>([] { Tokenizer::from_json(R"({"model":[]})", "t.json"); }),
            "t.json: byte 9: found an array, wanted an object");
  EXPECT_EQ(error_of<FormatError>([] { Tokenizer::from_json("[]", "t.json"); }),
            "t.json: byte 0: found an array, wanted an object");
  EXPECT_EQ(error_of<FormatError>([] { Tokenizer::from_json("", "t.json"); }),
            "t.json: byte 0: found the end of the text, wanted a JSON value");
}

TEST(Malformed, TooManySteps) {
  std::string steps;
  for (int i = 0; i < 65; ++i) steps += std::string(i ? "," : "") + R"({"type":"Fuse"})";
  const std::string text =
      with("\"decoder\":null", R"("decoder":{"type":"Sequence","decoders":[)" + steps + "]}");
  EXPECT_EQ(error_of<FormatError>([&] { Tokenizer::from_json(text, "t.json"); }),
            text_of("t.json: byte ", text.find("[{\"type\":\"Fuse"),
                    ": \"decoders\": found 65 steps, wanted at most 64"));
}

TEST(Malformed, TooManyStepsInSteps) {
  const auto nested = [](const char* key, const std::string& step, size_t count) {
    std::string inner, outer;
    for (size_t i = 0; i < count; ++i) inner += (i > 0 ? "," : "") + step;
    for (size_t i = 0; i < count; ++i)
      outer += text_of(i > 0 ? "," : "", R"({"type":"Sequence",")", key, "\":[", inner, "]}");
    return text_of(R"({"type":"Sequence",")", key, "\":[", outer, "]}");
  };
  const auto refuse = [](const char* part, const std::string& json) {
    const std::string text = with(text_of("\"", part, "\":null"), text_of("\"", part, "\":", json));
    return error_of<FormatError>([&] { Tokenizer::from_json(text, "t.json"); });
  };
  const std::string wanted = ": found 420 steps, wanted at most 64";
  EXPECT_TRUE(refuse("pre_tokenizer", nested("pretokenizers", R"({"type":"Whitespace"})", 20))
                  .ends_with(wanted));
  EXPECT_TRUE(refuse("decoder", nested("decoders", R"({"type":"Fuse"})", 20)).ends_with(wanted));
  EXPECT_TRUE(
      refuse("normalizer", nested("normalizers", R"({"type":"NFC"})", 20)).ends_with(wanted));
  EXPECT_TRUE(refuse("pre_tokenizer", nested("pretokenizers", R"({"type":"ByteLevel"})", 3))
                  .ends_with("found 9 steps of type \"ByteLevel\", wanted at most 8"));
}

// Steps that each double what they get are stopped before they fill the memory.
TEST(Malformed, TextThatGrowsWithoutEnd) {
  const auto chain = [](const char* key, const std::string& step) {
    std::string steps;
    for (size_t i = 0; i < 60; ++i) steps += (i > 0 ? "," : "") + step;
    return text_of(R"({"type":"Sequence",")", key, "\":[", steps, "]}");
  };
  const auto loaded = [](const char* part, const std::string& json) {
    return Tokenizer::from_json(
        with(text_of("\"", part, "\":null"), text_of("\"", part, "\":", json)), "t.json");
  };
  const std::string twice = R"({"type":"Replace","pattern":{"String":"a"},"content":"aa"})";
  const std::string fuse = R"({"type":"Fuse"})";
  const std::string limit = "text: the tokenizer makes more than 65792 bytes of 1: too many";
  for (const std::string& step :
       {twice, std::string(R"({"type":"Replace","pattern":{"String":""},"content":"ab"})")}) {
    const Tokenizer normalizing = loaded("normalizer", chain("normalizers", step));
    EXPECT_EQ(error_of<FormatError>([&] { normalizing.encode_ids("a"); }), limit);
  }
  std::string grown = with(R"("content":"<s>")", R"("content":"<a>")");
  grown.replace(grown.find(R"("normalized":false)"), 18, R"("normalized":true)");
  grown.replace(grown.find(R"("normalizer":null)"), 17,
                R"("normalizer":)" + chain("normalizers", twice));
  EXPECT_EQ(error_of<FormatError>([&] { Tokenizer::from_json(grown, "t.json"); }),
            text_of("t.json: byte ", grown.find("[{\"id\""), ": \"added_tokens\": text: the ",
                    "tokenizer makes more than 66304 bytes of 3: too many"));
  const std::string large(100'000, 'b');
  const std::string put_in =
      R"({"type":"Replace","pattern":{"String":"a"},"content":")" + large + "\"}";
  for (const std::string& step : {put_in, R"({"type":"Prepend","prepend":")" + large + "\"}"}) {
    const Tokenizer once = loaded("normalizer", step);
    EXPECT_EQ(error_of<FormatError>([&] { once.encode_ids("a"); }), limit);
  }
  for (const std::string& steps : {put_in, fuse + "," + put_in}) {
    const Tokenizer once = loaded("decoder", R"({"type":"Sequence","decoders":[)" + steps + "]}");
    EXPECT_EQ(error_of<FormatError>([&] { once.decode(std::vector{0}); }),
              "decode: the tokenizer makes more than 65792 bytes of 1: too many");
  }
  const Tokenizer bytes = loaded("normalizer", chain("normalizers", R"({"type":"ByteLevel"})"));
  EXPECT_EQ(error_of<FormatError>([&] { bytes.encode_ids("é"); }),
            "text: the tokenizer makes more than 66048 bytes of 2: too many");
  for (const std::string& step : {twice, fuse + "," + twice}) {
    const std::string steps =
        "{\"type\":\"Sequence\",\"decoders\":[" + fuse + "," + chain("decoders", twice) + "]}";
    const Tokenizer decoding = loaded("decoder", step == twice ? chain("decoders", twice) : steps);
    EXPECT_TRUE(error_of<FormatError>([&] {
                  decoding.decode(std::vector{0});
                }).starts_with("decode: the tokenizer makes more than "));
  }
}

// A cut anywhere is an error, and an error only: nothing else may come out of any prefix.
TEST(Malformed, EveryPrefixIsRefused) {
  const std::string text = kBase;
  for (size_t size = 0; size < text.size(); ++size)
    error_of<FormatError>([&] { Tokenizer::from_json(text.substr(0, size), "t.json"); });
}

// One changed byte loads or is refused; what loads can be used.
TEST(Malformed, EveryChangedByteIsHandled) {
  const std::string text = kBase;
  size_t loaded = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    for (const int bit : {0, 1, 4, 6, 7}) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      try {
        const Tokenizer tokenizer = Tokenizer::from_json(changed, "t.json");
        ++loaded;
        tokenizer.decode(tokenizer.encode_ids("ab<s>"));
      } catch (const FormatError&) {
      }
    }
  }
  EXPECT_GT(loaded, 0u);
}

TEST(Accepted, OddButRight) {
  const std::pair<const char*, const char*> kRight[] = {
      {"\"a b\"", "[\"a\",\"b\"]"},             // merges as pairs
      {"\"type\":\"BPE\",", ""},                // files of the first versions
      {"\"c\":3", "\"c\":900000"},              // a gap
      {"\"version\":\"1.0\",", ""},             // no version
      {"\"dropout\":null", "\"dropout\":0.0"},  // off in another way
      {"\"unk_token\":null", "\"unk_token\":\"nowhere\""},
      {"\"dropout\":null", "\"end_of_word_suffix\":\"\""},
      {"\"truncation\":null,\"padding\":null,", ""},
      {"\"merges\":[\"a b\"]", "\"merges\":[ ]"},
      {"\"c\":3", "\"\":3"},  // an empty token is odd but harms nobody
      {"\"c\":3", "\"a\\u0000\":3"},
  };
  for (const auto& [from, to] : kRight) {
    SCOPED_TRACE(to);
    const std::string text = with(from, to);
    // The gap moves the added token away from the end, which is allowed as well.
    const Tokenizer tokenizer = Tokenizer::from_json(text, "t.json");
    EXPECT_EQ(tokenizer.decode(tokenizer.encode_ids("<s>")), "");
    EXPECT_EQ(tokenizer.encode_ids("ab").size(), std::string(to).ends_with("[ ]") ? 2u : 1u);
  }
}

TEST(Accepted, LongTokens) {
  const std::string longest(1 << 20, 'x');
  const Tokenizer tokenizer =
      Tokenizer::from_json(with("\"c\":3", "\"" + longest + "\":3"), "t.json");
  EXPECT_EQ(tokenizer.token_to_id(longest), 3);
  const std::pair<size_t, std::string> models[] = {
      {1 << 20, R"("type":"WordLevel")"},
      {1 << 16, R"("type":"WordPiece","max_input_chars_per_word":10000000)"}};
  for (const auto& [size, start] : models) {
    const std::string word(size, 'x');
    const Tokenizer words = Tokenizer::from_json(
        text_of(R"({"added_tokens":[{"id":1,"content":"<)", word, R"(>"}],"model":{)", start,
                R"(,"unk_token":"y","vocab":{")", word, R"(":0,"y":2}}})"),
        "t.json");
    EXPECT_EQ(words.encode_ids(word), std::vector{0}) << start;
    EXPECT_EQ(words.encode_ids("<" + word + ">" + word + "x"), (std::vector{1, 2})) << start;
    EXPECT_EQ(words.decode(std::vector{1}), "<" + word + ">");
  }
}

TEST(Accepted, LongStringsToSplitAt) {
  const std::string wanted = std::string(1 << 19, 'a') + "b", text(1 << 21, 'a');
  const Tokenizer tokenizer = Tokenizer::from_json(
      with("\"pre_tokenizer\":null", R"("pre_tokenizer":{"type":"Split","pattern":{"String":")" +
                                         wanted + R"("},"behavior":"Removed"})"),
      "t.json");
  const std::clock_t start = std::clock();
  EXPECT_EQ(tokenizer.encode_ids(text).size(), text.size());
  EXPECT_EQ(tokenizer.encode_ids("b" + wanted + "a"), (std::vector{1, 0}));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

// Pieces of a long word, its bytes spelled as characters: each is counted once.
TEST(Accepted, LongWordsOfBytes) {
  const Tokenizer tokenizer = Tokenizer::from_json(
      R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":false},)"
      R"("model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"",)"
      R"("max_input_chars_per_word":10000000,"vocab":{"[UNK]":0,"Ã":1,"©":2}}})",
      "t.json");
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "é";
  EXPECT_EQ(tokenizer.encode_ids(text).size(), 400000u);
}

}  // namespace
}  // namespace jogak
