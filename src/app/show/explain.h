// `jogak explain`: a worked example, with the user's own numbers.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/lang.h"

namespace jogak {

struct ExplainCommand {
  std::string topic, level = "student";
  Lang lang = Lang::en;
  std::map<std::string, std::string> inputs;  // name: "1,0;0,1", JSON, or @FILE
  std::string text;                           // the user's words, parted by spaces
  std::string model;                          // a directory: the lesson shows that model
  int64_t layer = 0, head = 0;                // qkv: which head of it
  bool causal = false, transpose = false;
  bool all = false;           // every line of the text, however long
  std::string form = "text";  // text, json, svg, numpy or pytorch
  std::string svg;            // a file for the picture; empty: none
  bool colour = false;
  int columns = 80;
};

std::string run_explain(const ExplainCommand& command);  // the text for stdout

// Exercises to fill in: `chapter` is "all" or a number, `seed` a whole number.
std::string run_exercises(const std::string& chapter, const std::string& seed, Lang lang);

struct CheckedExercises {
  std::string text;  // for stdout
  bool right;        // every answer
};
CheckedExercises check_exercises(const std::string& file, Lang lang, bool json);

struct ExplainTopic {
  std::string name, title;
};
struct ExplainSection {  // a part of the curriculum
  std::string title;
  std::vector<ExplainTopic> topics;
};
std::vector<ExplainSection> explain_topic_list(Lang lang);

struct ExplainInput {  // what one or several topics take
  std::string name;
  std::string value;  // "MATRIX", "VECTOR", "N"
  std::string ko, en;
};
std::vector<ExplainInput> explain_input_list();

}  // namespace jogak
