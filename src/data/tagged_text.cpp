#include "data/tagged_text.h"

#include "base/error.h"
#include "base/json.h"
#include "data/line_data.h"
#include "data/table.h"

namespace jogak {
namespace {

using Sentence = TaggedTexts::Sentence;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The first and the last column of a line that has two or more; columns may hold blanks only where
// tabs part them.
std::pair<std::string, std::string> word_and_tag(const std::string& line,
                                                 const std::string& place) {
  const bool tabs = line.find('\t') != std::string::npos;
  const std::string parting = tabs ? "\t" : " ";
  size_t from = 0, to = line.size();
  while (to > from && blank(line[to - 1])) --to;
  while (!tabs && from < to && blank(line[from])) ++from;
  const std::string columns = line.substr(from, to - from);
  const size_t first = columns.find(parting), last = columns.rfind(parting);
  ensure<FormatError>(first != std::string::npos && first > 0, place,
                      ": found one column, wanted a word and its tag");
  return {columns.substr(0, first), columns.substr(last + 1)};
}

void close_sentence(TaggedTexts& out, Sentence& open) {
  if (!open.words.empty()) out.sentences.push_back(std::move(open));
  open = {};
}

TaggedTexts from_columns(const std::string& file, const std::string& where) {
  TaggedTexts out{{}, file};
  Sentence open;
  int64_t number = 0;
  for (const std::string& line : read_lines(file, where)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.starts_with("-DOCSTART-")) {
      close_sentence(out, open);
      continue;
    }
    auto [word, tag] = word_and_tag(line, text_of(file, ": line ", number));
    if (open.words.empty()) open.line = number;
    open.words.push_back(std::move(word));
    open.tags.push_back(std::move(tag));
  }
  close_sentence(out, open);
  return out;
}

std::string tag_text(const Fields& fields, const Json& value, const char* key) {
  if (value.is_integer()) return std::to_string(value.integer());
  if (!value.is_string() || value.text().empty())
    fields.wrong(value, key, "a tag, or the number of one");
  return value.text();
}

TaggedTexts from_jsonl(const std::string& file, const std::string& where) {
  TaggedTexts out{{}, file};
  int64_t number = 0;
  for (const std::string& line : read_lines(file, where)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string place = text_of(file, ": line ", number);
    const Json json = parse_json(line, place);
    const Fields fields(json, place);
    const char* key = fields.has("ner_tags") ? "ner_tags" : fields.has("tags") ? "tags" : "labels";
    Sentence one{{}, {}, number};
    for (const Json& word : fields.list("tokens")) {
      if (!word.is_string() || word.text().empty()) fields.wrong(word, "tokens", "words");
      one.words.push_back(word.text());
    }
    for (const Json& tag : fields.list(key)) one.tags.push_back(tag_text(fields, tag, key));
    ensure<FormatError>(one.words.size() == one.tags.size(), place, ": found ", one.words.size(),
                        " tokens and ", one.tags.size(), " ", key, ", wanted as many of both");
    if (!one.words.empty()) out.sentences.push_back(std::move(one));
  }
  return out;
}

}  // namespace

TaggedTexts read_tagged_texts(const std::string& file, const std::string& where_to_get) {
  const std::string ending = plain_ending(file);
  ensure<UsageError>(
      ending == ".conll" || ending == ".tsv" || ending == ".txt" || ending == ".jsonl", file,
      ": wanted a name that ends with .conll, .tsv, .txt or .jsonl");
  TaggedTexts out =
      ending == ".jsonl" ? from_jsonl(file, where_to_get) : from_columns(file, where_to_get);
  ensure<FormatError>(!out.sentences.empty(), file, ": found no sentence, wanted words with tags");
  return out;
}

std::vector<std::string> tags_of(const TaggedTexts& texts) {
  std::vector<std::string> out;
  for (const Sentence& one : texts.sentences)
    out.insert(out.end(), one.tags.begin(), one.tags.end());
  return out;
}

std::string joined_words(const Sentence& sentence) {
  std::string out;
  for (const std::string& word : sentence.words) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace jogak
