#include "app/use/completion.h"

#include <algorithm>
#include <cstdlib>

#include "app/models/model.h"
#include "generate/batcher.h"
#include "text/stages/byte_level.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

constexpr const char* kReplaced = "\xEF\xBF\xBD";

}  // namespace

std::vector<GenerateRequest> requests_of(const Generator& generator,
                                         const CompletionRequest& request) {
  std::vector<GenerateRequest> out;
  for (const std::vector<int>& prompt : request.prompts) {
    GenerateRequest one = generator.request(prompt, request.options);
    one.max_new = std::max<int64_t>(1, request.max_new);
    one.rules.presence_penalty = request.presence_penalty;
    one.rules.frequency_penalty = request.frequency_penalty;
    one.chances = request.logprobs;
    one.prompt_chances = request.prompt_logprobs && request.logprobs >= 0;
    one.client = request.client;
    for (one.stream = 0; one.stream < static_cast<uint64_t>(request.count); ++one.stream)
      out.push_back(one);
  }
  return out;
}

int64_t context_of(const Generator& generator) { return generator.model().causal.cache.context; }

int64_t vocab_of(const Generator& generator) { return generator.model().vocab; }

std::string text_of_ids(const Generator& generator, const std::vector<int>& ids) {
  return generator.tokenizer().decode(ids, false);
}

std::vector<int> encoded_ids(const Tokenizer& tokenizer, const std::string& text, bool special) {
  return tokenizer.encode_ids(text, {.add_special = special});
}

Json tokenizer_roles(const Generator& generator) {
  Json out = Json::object();
  for (const auto& [role, token] : generator.tokenizer().roles()) out.set(role, token);
  return out;
}

std::string token_text(const Tokenizer& tokenizer, int id) {
  const std::string text = tokenizer.decode({&id, 1}, false);
  if (!text.empty() && text.find(kReplaced) == std::string::npos) return text;
  return std::string(tokenizer.id_to_token(id).value_or(""));
}

std::string token_bytes(const Tokenizer& tokenizer, int id) {
  const std::string text = tokenizer.decode({&id, 1}, false);
  std::string letters;
  const bool whole = text.find(kReplaced) == std::string::npos;
  const std::string token(tokenizer.id_to_token(id).value_or(""));
  if (!whole && text::byte_level::append_bytes(letters, token)) return letters;
  if (token.size() == 6 && token.starts_with("<0x") && token.back() == '>')
    return std::string(1, static_cast<char>(std::strtol(token.c_str() + 3, nullptr, 16)));
  constexpr std::string_view kBlank =
      "\u2581";  // SentencePiece's, which decoding takes off a start
  if (token.find(kBlank) == std::string::npos) return text;
  for (size_t at = 0; at < token.size();) {
    const bool blank = std::string_view(token).substr(at).starts_with(kBlank);
    letters += blank ? ' ' : token[at];
    at += blank ? kBlank.size() : 1;
  }
  return letters;
}

std::shared_ptr<const TokenBytes> token_table(const Generator& generator) {
  const Tokenizer& tokenizer = generator.tokenizer();
  auto out = std::make_shared<TokenBytes>();
  for (int id = 0; id < static_cast<int>(vocab_of(generator)); ++id) {
    if (!tokenizer.id_to_token(id) ||
        tokenizer.decode({&id, 1}, true).empty() != tokenizer.decode({&id, 1}, false).empty())
      continue;  // special: what it spells is not text
    if (std::string bytes = token_bytes(tokenizer, id); !bytes.empty())
      out->emplace_back(std::move(bytes), id);
  }
  std::sort(out->begin(), out->end());
  return out;
}

}  // namespace jogak
