#include "app/use/fill.h"

#include "app/use/predictions.h"
#include "autograd/autograd.h"
#include "base/format.h"
#include "base/utf8.h"

namespace jogak {
namespace {

// As the tokenizer says, else as BERT's and RoBERTa's do.
int mask_id(const Tokenizer& tokenizer, const std::string& directory) {
  if (const auto id = tokenizer.role_id("mask_token")) return *id;
  for (const char* token : {"[MASK]", "<mask>"})
    if (const auto id = tokenizer.token_to_id(token)) return *id;
  fail<FormatError>(directory, ": the tokenizer has no mask token, wanted one such as [MASK]");
}

size_t byte_of(std::string_view text, size_t characters) {
  size_t at = 0;
  for (; characters > 0 && at < text.size(); --characters)
    at += static_cast<size_t>(utf8::decode(text, at).size);
  return at;
}

class Filler {
 public:
  explicit Filler(const FillCommand& c) : c_(c), texts_(open_text_encoder(c.directory)) {
    ensure<FormatError>(texts_.encoder().task == EncoderTask::fill, c.directory,
                        ": this model fills in no words; ", command_for(texts_.model), " runs it");
    mask_ = mask_id(texts_.tokenizer, c.directory);
  }

  void write(std::span<const TextLine> lines) const {
    const NoGrad quiet;
    std::vector<Encoding> encoded;
    for (const TextLine& line : lines) {
      encoded.push_back(texts_.encode(line, line.text));
      ensure<FormatError>(masks(encoded.back()).size() > 0, line.name, ": found no ",
                          *texts_.tokenizer.id_to_token(mask_),
                          " in it, wanted one for each word to fill in");
    }
    std::vector<std::vector<std::vector<Prediction>>> best(lines.size());  // text, mask, rank
    for_batches(encoded, c_.batch, [&](const EncodedBatch& batch) { run(batch, encoded, best); });
    for (size_t i = 0; i < lines.size(); ++i) write_text(lines[i], encoded[i], best[i]);
    c_.flush();
  }

 private:
  std::vector<size_t> masks(const Encoding& text) const {
    std::vector<size_t> out;
    for (size_t t = 0; t < text.ids.size(); ++t)
      if (text.ids[t] == mask_) out.push_back(t);
    return out;
  }

  void run(const EncodedBatch& batch, std::span<const Encoding> encoded,
           std::vector<std::vector<std::vector<Prediction>>>& best) const {
    EncoderInput input = batch.input;
    std::vector<int64_t> places;
    std::vector<size_t> owners;
    for (size_t b = 0; b < batch.which.size(); ++b)
      for (const size_t t : masks(encoded[batch.which[b]])) {
        places.push_back(static_cast<int64_t>(b) * input.values.dim(1) + static_cast<int64_t>(t));
        owners.push_back(batch.which[b]);
      }
    input.wanted = from_values(places, {static_cast<int64_t>(places.size())});
    Run quiet;
    const auto logits = to_host<float>(texts_.encoder().predict(input, quiet));  // [N, V]
    const size_t V = logits.size() / places.size();
    for (size_t n = 0; n < places.size(); ++n)
      best[owners[n]].push_back(likeliest_of(std::span(logits).subspan(n * V, V), c_.top_k));
  }

  void write_text(const TextLine& line, const Encoding& text,
                  const std::vector<std::vector<Prediction>>& best) const {
    const std::vector<size_t> places = masks(text);
    Json list = Json::array();
    for (size_t m = 0; m < places.size(); ++m) {
      const size_t from = byte_of(line.text, text.offsets[places[m]].from);
      const size_t to = byte_of(line.text, text.offsets[places[m]].to);
      for (const Prediction& one : best[m]) {
        const int id = static_cast<int>(one.index);
        const std::string token = texts_.tokenizer.decode({&id, 1}, false);
        Json json = prediction_json(token, one.score);
        list.push(std::move(json.set("mask", m).set("id", id)));
        if (!c_.json)
          c_.line(text_of(token, "\t", fixed(one.score, 4), "\t", line.text.substr(0, from), token,
                          line.text.substr(to)));
      }
    }
    if (!c_.json) return;
    Json out = Json::object();
    out.set("schema", 1).set("text", line.text);
    c_.line(out.set("predictions", std::move(list)).dump());
  }

  FillCommand c_;
  TextEncoder texts_;
  int mask_ = 0;
};

}  // namespace

TakeLines fill_lines(const FillCommand& c) {
  auto filler = std::make_shared<const Filler>(c);
  return [filler](std::span<const TextLine> lines) { filler->write(lines); };
}

}  // namespace jogak
