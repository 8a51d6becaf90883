// One answer of the OpenAI interface on its way: what was asked, and how it is told, whole or piece
// by piece.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/openai_ask.h"

namespace jogak::server {

struct Writing {
  Service& service;
  const Generator& generator;  // of the desk that it is written at
  std::shared_ptr<Work> work;
  bool chat = false, echo = false, logprobs = false;
  Streaming stream = {};
  std::string model = {}, id = {};
  Json warnings = Json::array();
  std::vector<std::vector<int>> prompts = {};
  int count = 1;  // texts of each

  struct Told {  // of one text
    size_t tokens = 0, offset = 0;
  };
  std::vector<Told> told = {};
};

// Gives the request to the model's desk; 429 when its queue is full. The route returns the result.
Reply begin_writing(const ShelfModel& model, const std::shared_ptr<OpenDesk>& desk,
                    CompletionRequest asked, std::shared_ptr<Writing> writing);

}  // namespace jogak::server
