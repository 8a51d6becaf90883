#include "app/use/text_reader.h"

#include <algorithm>
#include <numeric>

#include "app/models/vocabulary.h"
#include "base/file.h"
#include "base/log.h"
#include "text/beginning.h"

namespace jogak {
namespace {

// tokenizer_config.json writes "no limit" as a number of thirty digits.
int64_t longest_text(const std::string& directory, int64_t context) {
  const std::string file = join_path(directory, "tokenizer_config.json");
  if (!file_exists(file)) return context;
  const Json config = read_json_file(file);
  const Json* most = config.find("model_max_length");
  if (!most || !most->is_number()) return context;
  const double value = most->number();
  return value >= 1 && value < static_cast<double>(context) ? static_cast<int64_t>(value) : context;
}

bool cuts_left(const std::string& directory) {
  const std::string file = join_path(directory, "tokenizer_config.json");
  if (!file_exists(file)) return false;
  const Json config = read_json_file(file);
  return Fields(config, file).text_or("truncation_side", "right") == "left";
}

EncoderInput batch_of(std::span<const Encoding> texts, std::span<const size_t> which) {
  size_t T = 0;
  for (const size_t i : which) T = std::max(T, texts[i].ids.size());
  const size_t B = which.size();
  std::vector<int64_t> ids(B * T), types(B * T);
  std::vector<uint8_t> mask(B * T);
  bool padded = false, typed = false;
  for (size_t b = 0; b < B; ++b) {
    const Encoding& text = texts[which[b]];
    for (size_t t = 0; t < text.ids.size(); ++t) {
      ids[b * T + t] = text.ids[t];
      types[b * T + t] = text.type_ids[t];
      mask[b * T + t] = 1;
      typed |= text.type_ids[t] != 0;
    }
    padded |= text.ids.size() < T;
  }
  const Shape shape{static_cast<int64_t>(B), static_cast<int64_t>(T)};
  EncoderInput out;
  out.values = from_values(ids, shape);
  if (padded) out.mask = cast(from_values(mask, shape), DType::boolean);
  if (typed) out.token_types = from_values(types, shape);
  return out;
}

}  // namespace

std::string command_for(const Model& model) {
  if (model.translates()) return "jogak translate";
  if (!model.encodes()) return "jogak generate";
  switch (model.encoder.task) {
    case EncoderTask::embed: return "jogak embed";
    case EncoderTask::fill: return "jogak fill";
    case EncoderTask::classify:
    case EncoderTask::tag:
    case EncoderTask::detect: return "jogak classify";
    case EncoderTask::answer: return "jogak answer";
    case EncoderTask::forecast: break;
  }
  return "jogak forecast";
}

TextReader open_text_reader(const Model& model, const std::string& directory) {
  Tokenizer tokenizer = Tokenizer::load(directory);
  check_rows(tokenizer, model.matches() ? model.match.vocab : model.vocab, directory);
  const int64_t longest =
      longest_text(directory, model.matches() ? model.match.context : model.context);
  const auto added = static_cast<int64_t>(tokenizer.encode("").ids.size());
  ensure<FormatError>(longest > added, directory, ": found texts of at most ", longest,
                      " tokens, wanted room for more than the ", added, " that every text gets");
  return {std::move(tokenizer), longest, cuts_left(directory)};
}

Encoding TextReader::encode(const TextLine& line, std::string_view text, const std::string* second,
                            int64_t most) const {
  const auto limit = static_cast<size_t>(most > 0 ? most : longest);
  const std::string_view one = text_beginning(tokenizer, text, limit);
  const std::string_view other = second ? text_beginning(tokenizer, *second, limit) : "";
  const bool whole = one.size() == text.size() && (!second || other.size() == second->size());
  const auto encoded = [&](size_t tokens) {
    return second ? tokenizer.encode_pair(one, other, {.most = tokens})
                  : tokenizer.encode(one, {.most = tokens});
  };
  Encoding out = encoded(0);
  if (out.ids.size() > limit) {
    ensure<FormatError>(
        !cuts_left, line.name, " has more than ", limit,
        " tokens, and tokenizer_config.json has \"truncation_side\": \"left\": texts "
        "are only cut at their end");
    log_first_warning("a text has more tokens than the model reads and is cut", line.name, " has ",
                      whole ? "" : "more than ", out.ids.size(),
                      " tokens and is cut: the model reads ", limit);
    out = encoded(limit);
  }
  ensure<FormatError>(!out.ids.empty(), line.name, ": found no token in it, wanted a text");
  return out;
}

void for_batches(std::span<const Encoding> texts, size_t rows,
                 const std::function<void(const EncodedBatch&)>& run) {
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return texts[a].ids.size() < texts[b].ids.size(); });
  for (size_t from = 0; from < order.size(); from += rows) {
    const auto begin = order.begin() + static_cast<ptrdiff_t>(from);
    const auto end = begin + static_cast<ptrdiff_t>(std::min(rows, order.size() - from));
    EncodedBatch batch{{begin, end}, {}};
    batch.input = batch_of(texts, batch.which);
    run(batch);
  }
}

}  // namespace jogak
