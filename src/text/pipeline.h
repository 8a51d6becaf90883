// The whole way of one text to tokens: added tokens, normalizer, pre-tokenizer, model.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "text/encoding.h"
#include "text/marked_text.h"
#include "text/tokenizer_parts.h"

namespace jogak::text {

struct PipelineOptions {
  bool special_as_text = false;
  int type_id = 0;                    // of the tokens
  const MarkedText* marks = nullptr;  // the text, where special tokens must not be a user's
};

// The text is valid UTF-8.
Encoding run_pipeline(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                      PipelineOptions options);

// The same, handed over as soon as so many tokens are there: a long text has far more than itself
// to tell.
void run_in_pieces(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                   PipelineOptions options, size_t tokens,
                   const std::function<void(Encoding)>& take);

// Ids only, which saves keeping track of where everything comes from.
Encoding run_for_ids(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                     PipelineOptions options);

}  // namespace jogak::text
