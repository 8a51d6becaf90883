// The words that a text leaves open.
#include "app/use/encoder_parts.h"
#include "app/use/predictions.h"
#include "autograd/autograd.h"
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

struct MaskedText {
  Encoding encoded;
  std::vector<size_t> places = {};                 // of its masks
  std::vector<std::vector<Prediction>> best = {};  // of each mask
};

MaskedText masked_text(const TextReader& reader, const TextLine& line, int mask) {
  MaskedText out{reader.encode(line, line.text)};
  for (size_t t = 0; t < out.encoded.ids.size(); ++t)
    if (out.encoded.ids[t] == mask) out.places.push_back(t);
  ensure<FormatError>(!out.places.empty(), line.name, ": found no ",
                      *reader.tokenizer.id_to_token(mask),
                      " in it, wanted one for each word to fill in");
  return out;
}

void run_batch(const EncoderModel& model, const EncodedBatch& batch, const FillOptions& o,
               std::vector<MaskedText>& texts) {
  EncoderInput input = batch.input;
  std::vector<int64_t> places;
  std::vector<size_t> owners;
  for (size_t b = 0; b < batch.which.size(); ++b)
    for (const size_t t : texts[batch.which[b]].places) {
      places.push_back(static_cast<int64_t>(b) * input.values.dim(1) + static_cast<int64_t>(t));
      owners.push_back(batch.which[b]);
    }
  input.wanted = from_values(places, {static_cast<int64_t>(places.size())});
  Run run;
  run.stop = o.stop;
  const auto logits = to_host<float>(model.predict(input, run));  // [N, V]
  const size_t V = logits.size() / places.size();
  for (size_t n = 0; n < places.size(); ++n)
    texts[owners[n]].best.push_back(likeliest_of(std::span(logits).subspan(n * V, V), o.top_k));
}

FilledText filled(const Tokenizer& tokenizer, const std::string& text, const MaskedText& masked) {
  FilledText out{text};
  for (size_t m = 0; m < masked.places.size(); ++m) {
    const Span hidden = masked.encoded.offsets[masked.places[m]];
    const size_t from = byte_of(text, hidden.from), to = byte_of(text, hidden.to);
    for (const Prediction& one : masked.best[m]) {
      const int id = static_cast<int>(one.index);
      out.words.push_back({tokenizer.decode({&id, 1}, false), one.score, m, id, from, to});
    }
  }
  return out;
}

}  // namespace

void Encoder::check(const FillOptions&) const {
  ensure<FormatError>(parts_->texts.has_value(), parts_->directory, ": a ", model().model_type,
                      " model, wanted one that reads texts, such as bert; ", command_for(model()),
                      " runs this one");
  ensure<FormatError>(parts_->encoder().task == EncoderTask::fill, parts_->directory,
                      ": this model fills in no words; ", command_for(model()), " runs it");
  mask_id(parts_->texts->tokenizer, parts_->directory);
}

std::vector<FilledText> Encoder::fill(std::span<const TextLine> lines,
                                      const FillOptions& options) const {
  check(options);
  const NoGrad quiet;
  const TextReader& reader = *parts_->texts;
  const int mask = mask_id(reader.tokenizer, parts_->directory);
  std::vector<MaskedText> texts;
  std::vector<Encoding> encoded;
  for (const TextLine& line : lines) {
    texts.push_back(masked_text(reader, line, mask));
    encoded.push_back(texts.back().encoded);
  }
  for_batches(encoded, options.batch, [&](const EncodedBatch& batch) {
    run_batch(parts_->encoder(), batch, options, texts);
  });
  std::vector<FilledText> out;
  for (size_t i = 0; i < lines.size(); ++i)
    out.push_back(filled(reader.tokenizer, lines[i].text, texts[i]));
  return out;
}

Json to_json(const FilledText& text) {
  Json list = Json::array();
  for (const FilledWord& word : text.words) {
    Json one = prediction_json(word.word, word.score);
    list.push(std::move(one.set("mask", word.mask).set("id", word.id)));
  }
  Json out = Json::object();
  out.set("schema", 1).set("text", text.text);
  return std::move(out.set("predictions", std::move(list)));
}

}  // namespace jogak
