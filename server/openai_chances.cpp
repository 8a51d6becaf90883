// How likely tokens were, as the two kinds of completion write it. Harnesses compare the value of a
// token with the largest beside it, so both are written from the same float.
#include <cmath>

#include "base/shortest.h"
#include "server/openai.h"

namespace jogak::server {
namespace {

// A token that cannot come has no number in JSON.
Json number_of(float logprob) {
  return Json(std::isfinite(logprob) ? shortest_double(logprob) : -9999.0);
}

Json token_json(const TokenChance& chance, const Tokenizer& tokenizer) {
  Json bytes = Json::array();
  for (const char c : token_bytes(tokenizer, chance.id))
    bytes.push(static_cast<int>(static_cast<unsigned char>(c)));
  return Json::object({{"token", Json(token_text(tokenizer, chance.id))},
                       {"logprob", number_of(chance.logprob)},
                       {"bytes", std::move(bytes)}});
}

}  // namespace

Json chances_json_of_text(std::span<const TokenChances> chances, const Tokenizer& tokenizer,
                          size_t& offset) {
  Json tokens = Json::array(), values = Json::array(), best = Json::array();
  Json offsets = Json::array();
  for (const TokenChances& at : chances) {
    const std::string text = token_text(tokenizer, at.chosen.id);
    tokens.push(text);
    values.push(at.known ? number_of(at.chosen.logprob) : Json());
    Json top = Json::object();
    for (const TokenChance& rival : at.best)  // of two with one text the likelier
      if (const std::string name = token_text(tokenizer, rival.id); !top.find(name))
        top.set(name, number_of(rival.logprob));
    best.push(at.known ? std::move(top) : Json());
    offsets.push(offset);
    offset += text.size();
  }
  return Json::object({{"tokens", std::move(tokens)},
                       {"token_logprobs", std::move(values)},
                       {"top_logprobs", std::move(best)},
                       {"text_offset", std::move(offsets)}});
}

Json chances_json_of_chat(std::span<const TokenChances> chances, const Tokenizer& tokenizer) {
  Json content = Json::array();
  for (const TokenChances& at : chances) {
    Json token = token_json(at.chosen, tokenizer), best = Json::array();
    for (const TokenChance& rival : at.best) best.push(token_json(rival, tokenizer));
    content.push(std::move(token.set("top_logprobs", std::move(best))));
  }
  return Json::object({{"content", std::move(content)}});
}

}  // namespace jogak::server
