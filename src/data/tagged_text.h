// Sentences with a tag for each word: "Seoul" is a place, "sleeps" is a verb.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

struct TaggedTexts {
  struct Sentence {
    std::vector<std::string> words, tags;  // as many of both
    int64_t line = 0;                      // where it begins, from 1
  };
  std::vector<Sentence> sentences;
  std::string name;  // what errors call them
};

// A .jsonl with one object a line: "tokens", and "labels", "tags" or "ner_tags" (strings or whole
// numbers); or a .conll, .tsv or .txt with a word a line, its tag in the last column, columns
// parted by tabs or else by blanks, an empty line between sentences and -DOCSTART- between
// documents; .gz and .zst too. FormatError with the line for the rest, and for a file without a
// sentence.
TaggedTexts read_tagged_texts(const std::string& file, const std::string& where_to_get = "");

std::vector<std::string> tags_of(const TaggedTexts& texts);       // of every word
std::string joined_words(const TaggedTexts::Sentence& sentence);  // a blank between two

}  // namespace jogak
