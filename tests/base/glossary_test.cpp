// Korean as it is written: particles that fit, and the words of docs/glossary.md in every text.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/korean/particle.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;
using korean::particle;

TEST(Korean, ParticlesFollowTheLastSound) {
  const std::pair<const char*, const char*> objects[] = {
      {"4", "를"},       {"6", "을"},     {"10", "을"},
      {"512", "를"},     {"1,000", "을"}, {"0.5", "를"},
      {"2.50", "을"},    {"8", "을"},     {"1000000000000", "를"},
      {"헤드", "를"},    {"스텝", "을"},  {"x", "를"},
      {"N", "을"},       {"d_k", "를"},   {"ε", "을"},
      {"점수(3)", "를"}, {"PE(3)", "을"}, {"\"그림\"", "을"},
      {"0", "을"},       {"1/4", "을"},   {"R", "을"}};
  for (const auto& [text, wanted] : objects) EXPECT_EQ(particle(text, "을"), wanted) << text;
  EXPECT_EQ(particle("8", "으로"), "로");
  EXPECT_EQ(particle("3", "으로"), "으로");
  EXPECT_EQ(particle("2", "으로"), "로");
  EXPECT_EQ(particle("토큰", "가"), "이");
  EXPECT_FALSE(korean::ending_of("transformers").has_value());
}

struct GlossaryRow {
  std::string word;
  std::vector<std::string> others, fine;
};

std::vector<std::string> cut_at(const std::string& text, char mark) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    out.push_back(part);
  }
  return out;
}

std::vector<GlossaryRow> glossary() {
  std::vector<GlossaryRow> out;
  for (const std::string& line : cut_at(read_file(source_path("docs/glossary.md")), '\n')) {
    const auto cells = cut_at(line, '|');
    if (cells.size() < 5 || cells[1] == "English" || cells[1].starts_with("---")) continue;
    out.push_back({cells[2], cut_at(cells[3], ','), cut_at(cells[4], ',')});
  }
  return out;
}

// Literals that are written in several pieces are one text.
std::string joined_literals(const std::string& source) {
  std::string out;
  for (size_t at = 0; at < source.size(); ++at) {
    const size_t next = source[at] == '"' ? source.find_first_not_of(" \n", at + 1) : at;
    const bool pieces = next != at && next != std::string::npos && source[next] == '"' &&
                        source.find('\n', at) < next;
    if (pieces)
      at = next;
    else
      out += source[at];
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> korean_texts() {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](const fs::path& path, bool source) {
    const std::string text = read_file(path.string());
    out.emplace_back(path.string(), source ? joined_literals(text) : text);
  };
  for (const char* folder : {"src", "cli", "server", "web", "recipes", "scripts"}) {
    if (!fs::exists(source_path(folder))) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source_path(folder))) {
      const std::string name = entry.path().extension().string();
      const bool text = name == ".cpp" || name == ".h" || name == ".toml" || name == ".ts" ||
                        name == ".html" || name == ".sh" || name == ".py";
      if (entry.is_regular_file() && text) add(entry.path(), name == ".cpp" || name == ".h");
    }
  }
  for (const auto& entry : fs::directory_iterator(source_path("docs")))
    if (entry.path().string().ends_with(".ko.md")) add(entry.path(), false);
  add(source_path("README.ko.md"), false);
  return out;
}

TEST(Glossary, EveryTextUsesItsWords) {
  const auto rows = glossary();
  ASSERT_GT(rows.size(), 40u);
  size_t texts = 0;
  for (const auto& [place, whole] : korean_texts()) {
    ++texts;
    for (const GlossaryRow& row : rows) {
      std::string text = whole;
      for (const std::string& fine : row.fine)
        for (size_t at; !fine.empty() && (at = text.find(fine)) != std::string::npos;)
          text.erase(at, fine.size());
      for (const std::string& other : row.others) {
        const size_t at = other.empty() ? std::string::npos : text.find(other);
        EXPECT_EQ(at, std::string::npos) << place << ": \"" << other << "\" is called " << row.word
                                         << ": " << text.substr(at < 60 ? 0 : at - 60, 120);
      }
    }
  }
  EXPECT_GT(texts, 300u);
}

bool hangul_at(const std::string& text, size_t at) {  // syllables are EA B0 80 to ED 9E A3
  if (at >= text.size()) return false;
  const auto lead = static_cast<unsigned char>(text[at]);
  return lead >= 0xEA && lead <= 0xED;
}

TEST(Glossary, ParticlesFitBehindNumbersAndLetters) {
  size_t seen = 0;
  for (const auto& [place, text] : korean_texts())
    for (const korean::Particle& forms : korean::kParticles)
      for (const std::string_view form : {forms.closed, forms.open})
        for (size_t at = 1; (at = text.find(form, at)) != std::string::npos; at += form.size()) {
          const auto before = static_cast<unsigned char>(text[at - 1]);
          const bool sign = before < 0x80 && (std::isalnum(before) || before == ')');
          if (!sign || hangul_at(text, at + form.size())) continue;
          const size_t begin = text.find_last_of("\n\"", at - 1) + 1;
          const std::string head = text.substr(begin, at - begin);
          if (!korean::ending_of(head)) continue;
          ++seen;
          EXPECT_EQ(particle(head, form), form)
              << place << ": " << text.substr(begin, at - begin + 12);
        }
  EXPECT_GT(seen, 100u);
}

// "클리핑와" is what replacing a word by another leaves behind.
TEST(Glossary, ParticlesFitBehindItsWords) {
  std::vector<std::string> words;
  for (const GlossaryRow& row : glossary())
    for (const std::string& word : cut_at(row.word, ',')) words.push_back(word);
  for (const auto& [place, text] : korean_texts())
    for (const std::string& word : words)
      for (const korean::Particle& forms : korean::kParticles) {
        const bool open = particle(word, forms.closed) == forms.open;
        const std::string wrong = word + std::string(open ? forms.closed : forms.open);
        for (size_t at = 0; (at = text.find(wrong, at)) != std::string::npos; at += wrong.size())
          EXPECT_TRUE(hangul_at(text, at + wrong.size()) || (at >= 3 && hangul_at(text, at - 3)))
              << place << ": " << text.substr(at < 30 ? 0 : at - 30, 60);
      }
}

}  // namespace
}  // namespace jogak
