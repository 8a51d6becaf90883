#include "base/korean_error.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

TEST(KoreanErrors, KeepPlacesValuesAndNames) {
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
      {"한글 이름: no such file", "한글 이름: 그런 파일이 없습니다"},
      {"a/b: syncing failed: No space left", "a/b: syncing 실패: No space left"},
      {"beams: found 0, wanted 1 to 1024", "빔: 0. 필요한 것: 1에서 1024까지"},
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
  for (const char* folder : {"src", "cli"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path(folder))) {
      const std::string path = entry.path().string();
      if (path.find("korean_error") != std::string::npos) continue;
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
TEST(KoreanErrors, TheTableHasOnlySentencesThatAreSaid) {
  const std::string said = all_strings();
  for (const KoreanError& line : korean_sentences())
    for (const std::string& piece : pieces_of(line.en)) {
      std::string_view words = piece;  // marks at its ends may be written by somebody else
      while (!words.empty() && std::string_view(" :;,()\"'?.").find(words.front()) != words.npos)
        words.remove_prefix(1);
      while (!words.empty() && std::string_view(" :;,()\"'?.").find(words.back()) != words.npos)
        words.remove_suffix(1);
      EXPECT_NE(said.find(words), std::string::npos) << line.en << ": " << words;
    }
}

// Every hole of the Korean is one of the English, and no line stands behind one that takes all.
TEST(KoreanErrors, EveryLineCanBeReached) {
  for (const auto table : {korean_places(), korean_sentences(), korean_phrases()})
    for (const KoreanError& line : table) {
      const auto holes = static_cast<int>(std::count(line.en.begin(), line.en.end(), '{'));
      for (size_t at = line.ko.find('{'); at != line.ko.npos; at = line.ko.find('{', at + 1))
        EXPECT_LT(line.ko[at + 1] - '0', holes) << line.en;
    }
  for (const KoreanError& line : korean_sentences()) {
    std::string message, wanted(line.ko);
    int hole = 0;
    for (size_t at = 0; at < line.en.size(); ++at) {
      if (line.en.compare(at, 2, "{}") == 0) {
        const std::string value = "\"v" + std::to_string(hole) + "\"",
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
