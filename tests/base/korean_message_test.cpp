#include "base/korean/message.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

TEST(KoreanMessages, KeepPlacesValuesAndNames) {
  const struct {
    const char *en, *ko;
  } cases[] = {
      {"runs/x: no such model directory", "runs/x: 그런 모델 디렉터리가 없습니다"},
      {"r.toml: \"train.steps\": found 0, wanted 1 or more",
       "r.toml: \"train.steps\": 0. 필요한 것: 1 이상"},
      {"s.csv: line 2 column \"a\": found \"abc\", wanted a finite number",
       "s.csv: 2번째 줄 \"a\" 열: \"abc\". 필요한 것: 유한한 수"},
      {"a.json: byte 12: found ',', wanted a value", "a.json: 바이트 12: ','. 필요한 것: 값"},
      {"r: unknown key 'train.step' (did you mean \"train.steps\"?)",
       "r: 모르는 키 'train.step' (혹시 \"train.steps\"?)"},
      {"runs/x: holds a run at step 120; go on with --resume, choose another directory, or say "
       "--overwrite",
       "runs/x: 이미 스텝 120의 학습이 있습니다; --resume으로 이어 가거나 다른 디렉터리를 "
       "고르세요. "
       "덮어쓰려면 --overwrite"},
      {"text: character 3 (byte 5): \",\" (U+002C) is not in the vocabulary, nor is the unknown "
       "token \"<unk>\"",
       "글: 3번째 글자 (바이트 5): \",\" (U+002C)는 어휘에 없고 대신할 토큰 \"<unk>\"도 "
       "없습니다"},
      {"a.tsv: line 2: found 1 column between tabs, wanted 3 as in line 1",
       "a.tsv: 2번째 줄: 탭으로 나눈 1열. 필요한 것: 1번째 줄처럼 3"},
      {"한글 이름: no such file", "한글 이름: 그런 파일이 없습니다"},
      {"a/b: syncing failed: No space left", "a/b: syncing 실패: No space left"},
      {"beams: found 0, wanted 1 to 1024", "빔: 0. 필요한 것: 1에서 1024까지"},
      {"train.metric is 3, wanted 1 to 2", "train.metric은 3. 필요한 것: 1에서 2까지"},
      {"r: key '가방' stands outside a section such as [train]",
       "r: 키 '가방'이 [train] 같은 절 밖에 있습니다"},
      {"s.csv: 2 missing values filled forward (data.missing = \"ffill\"), the first in line 4 "
       "column \"a\"",
       "s.csv: 빠진 값 2개를 채웠습니다: 앞의 값으로 (data.missing = \"ffill\"). 처음 것은 4번째 "
       "줄 "
       "\"a\" 열"},
      {"step 4 skipped: the gradient of wte.weight is not finite (examples from place 24 of epoch "
       "0)",
       "스텝 4를 건너뛰었습니다: wte.weight의 기울기가 유한하지 않음 (에포크 0의 24번째 자리부터의 "
       "예)"},
      {"nobody translated this sentence", "nobody translated this sentence"},
      {"", ""},
  };
  for (const auto& [en, ko] : cases) EXPECT_EQ(in_korean(en), ko);
}

std::vector<std::string> pieces_of(std::string_view pattern) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= pattern.size();) {
    const size_t end = std::min(pattern.find("{}", at), pattern.size());
    std::string_view piece = pattern.substr(at, end - at);
    piece = piece.substr(0, piece.find(" (did you mean"));  // which base/suggest.h adds
    if (!piece.empty()) out.emplace_back(piece);
    at = end + 2;
  }
  return out;
}

// The text of every string of the sources; those with no more than a comma between them are one.
std::string all_strings() {
  std::string out;
  for (const char* folder : {"src", "cli", "server"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path(folder))) {
      const std::string path = entry.path().string();
      if (path.find("_table.cpp") != std::string::npos) continue;
      if (!path.ends_with(".cpp") && !path.ends_with(".h")) continue;
      const std::string code = read_file(path);
      bool inside = false;
      for (size_t i = 0; i < code.size(); ++i) {
        if (inside && code[i] == '\\') {
          out += code[++i];
        } else if (code[i] == '"') {
          inside = !inside;
        } else if (inside) {
          out += code[i];
        } else if (code.compare(i, 2, "//") == 0) {
          i = std::min(code.find('\n', i), code.size());
        } else if (code.compare(i, 4, R"('\"')") == 0) {
          i += 3;  // the character, not the end of a string
        } else if (code.compare(i, 3, "'\"'") == 0) {
          i += 2;
        } else if (code[i] != ' ' && code[i] != '\n' && code[i] != ',') {
          if (!out.empty() && out.back() != '\n') out += '\n';
        }
      }
    }
  return out;
}

// A message that was reworded takes its Korean with it.
TEST(KoreanMessages, TheTableHasOnlySentencesThatAreSaid) {
  const std::string said = all_strings();
  for (const auto table :
       {korean_use_errors(), korean_file_errors(), korean_sentences(), korean_warnings()})
    for (const KoreanLine& line : table)
      for (const std::string& piece : pieces_of(line.en)) {
        std::string_view words = piece;  // marks at its ends may be written by somebody else
        while (!words.empty() && std::string_view(" :;,()\"'?.").find(words.front()) != words.npos)
          words.remove_prefix(1);
        while (!words.empty() && std::string_view(" :;,()\"'?.").find(words.back()) != words.npos)
          words.remove_suffix(1);
        EXPECT_NE(said.find(words), std::string::npos) << line.en << ": " << words;
      }
}

// A call of the log in the sources, as what it writes: each of its arguments that is no text stands
// for a value, and of two texts to choose between the last is taken.
struct LogCall {
  std::string place, kind, text;
};

std::vector<std::string> arguments_of(std::string_view code, size_t open) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    if (code[i] == '"') {
      const size_t begin = i++;
      while (code[i] != '"') i += code[i] == '\\' ? 2 : 1;
      out.back() += code.substr(begin, i + 1 - begin);
      continue;
    }
    if (code[i] == '\'' && code[i + 2] == '\'') {  // a character, which may be a quote
      out.back() += code.substr(i, 3);
      i += 2;
      continue;
    }
    const bool opens = std::string_view("([{").find(code[i]) != std::string_view::npos;
    const bool closes = std::string_view(")]}").find(code[i]) != std::string_view::npos;
    if (closes && --depth == 0) break;
    if (code[i] == ',' && depth == 1)
      out.emplace_back();
    else if (!opens || depth > 0)
      out.back() += code[i];
    depth += opens;
  }
  return out;
}

// The last text of an argument, or a value.
std::string said_by(const std::string& argument) {
  std::string text, last;
  bool inside = false, any = false, apart = true;
  for (size_t i = 0; i < argument.size(); ++i) {
    const char c = argument[i];
    if (c == '"') {
      inside = !inside, any = true;
      if (inside && apart) text.clear();  // texts with nothing between them are one
      apart = false;
    } else if (inside) {
      text += c == '\\' ? argument[++i] : c;
    } else if (c != ' ' && c != '\n') {
      apart = true;
    }
  }
  return any ? text : "value";
}

bool has_hangul(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0xEA && static_cast<unsigned char>(c) <= 0xED;
  });
}

// Every file of the folders that speak to users, with what it holds.
void each_source(const std::function<void(const std::string& path, const std::string& code)>& see) {
  for (const char* folder : {"src", "cli"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path(folder))) {
      const std::string path = entry.path().string();
      if (path.ends_with(".cpp")) see(path, read_file(path));
    }
}

std::vector<LogCall> log_calls() {
  std::vector<LogCall> out;
  each_source([&](const std::string& path, const std::string& code) {
    for (const std::string name : {"log_info(", "log_warning(", "log_first_warning("})
      for (size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
        const std::vector<std::string> all = arguments_of(code, at + name.size() - 1);
        LogCall call{path, name == "log_first_warning(" ? said_by(all[0]) : "", ""};
        const auto in_both = [](const std::string& one) {
          return has_hangul(one) || one.find("(lang_)") != std::string::npos;
        };
        if (std::any_of(all.begin(), all.end(), in_both)) continue;
        for (size_t i = call.kind.empty() ? 0 : 1; i < all.size(); ++i)
          call.text += said_by(all[i]);
        if (call.text != "value") out.push_back(call);
      }
  });
  return out;
}

bool is_suggestion(const std::string& argument) {
  for (const char* part : {"did_you_mean(", "hint", "close.empty()"})
    if (argument.find(part) != std::string::npos) return true;
  return false;
}

// Errors that users meet, as they are thrown. Those of kernels and of the page's API are for
// programmers, and messages that only hand on another's have nothing of their own to put into
// Korean.
std::vector<LogCall> error_calls() {
  std::vector<LogCall> out;
  each_source([&](const std::string& path, const std::string& code) {
    for (const char* room : {"/src/tensor/", "/src/ops/", "/src/autograd/", "/src/app/page/"})
      if (path.find(room) != path.npos) return;
    for (const std::string kind : {"UsageError", "FormatError", "MissingError"})
      for (const std::string verb : {"fail<", "ensure<"}) {
        const std::string name = verb + kind + ">(";
        for (size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
          const std::vector<std::string> all = arguments_of(code, at + name.size() - 1);
          LogCall call{path, "", ""};
          std::string words;
          bool in_both = false;
          for (size_t i = verb == "fail<" ? 0 : 1; i < all.size(); ++i) {
            in_both = in_both || has_hangul(all[i]);
            if (is_suggestion(all[i])) continue;  // mostly nothing
            const std::string said = said_by(all[i]);
            call.text += said;
            if (said != "value") words += said;
          }
          bool own = false;
          for (size_t i = 1; i < words.size(); ++i)
            own = own || (words[i - 1] == ' ' && words[i] >= 'a' && words[i] <= 'z');
          if (own && !in_both) out.push_back(call);
        }
      }
  });
  return out;
}

TEST(KoreanMessages, EveryErrorHasItsKorean) {
  const std::vector<LogCall> calls = error_calls();
  EXPECT_GT(calls.size(), 400u);
  for (const LogCall& call : calls)
    EXPECT_TRUE(has_hangul(in_korean(call.text))) << call.place << ": " << call.text;
}

TEST(KoreanMessages, EveryWarningAndNoteHasItsKorean) {
  const std::vector<LogCall> calls = log_calls();
  EXPECT_GT(calls.size(), 20u);
  for (const LogCall& call : calls) {
    EXPECT_TRUE(has_hangul(in_korean(call.text))) << call.place << ": " << call.text;
    if (call.kind.empty()) continue;
    const std::string again = in_korean("the same 4 more times: " + call.kind);
    EXPECT_EQ(again.find(call.kind), std::string::npos) << call.place << ": " << again;
  }
}

// Every hole of the Korean is one of the English, and no line stands behind one that takes all.
TEST(KoreanMessages, EveryLineCanBeReached) {
  for (const auto table : {korean_places(), korean_use_errors(), korean_file_errors(),
                           korean_sentences(), korean_warnings(), korean_phrases()})
    for (const KoreanLine& line : table) {
      const auto holes = static_cast<int>(std::count(line.en.begin(), line.en.end(), '{'));
      for (size_t at = line.ko.find('{'); at != line.ko.npos; at = line.ko.find('{', at + 1))
        EXPECT_LT(line.ko[at + 1] - '0', holes) << line.en;
    }
  std::vector<KoreanLine> lines;
  for (const auto table :
       {korean_use_errors(), korean_file_errors(), korean_sentences(), korean_warnings()})
    lines.insert(lines.end(), table.begin(), table.end());
  for (const KoreanLine& line : lines) {
    std::string message, wanted(line.ko);
    int hole = 0;
    for (size_t at = 0; at < line.en.size(); ++at) {
      if (line.en.compare(at, 2, "{}") == 0) {
        const std::string value = "\"value" + std::string(1, static_cast<char>('a' + hole)) + "\"",
                          mark = "{" + std::to_string(hole++) + "}";
        message += value;
        for (size_t to = wanted.find(mark); to != std::string::npos; to = wanted.find(mark))
          wanted.replace(to, mark.size(), value);
        ++at;
      } else {
        message += line.en[at];
      }
    }
    EXPECT_EQ(in_korean(message), wanted) << line.en;
  }
}

}  // namespace
}  // namespace jogak
