#include "app/show/inspect_input.h"

#include "app/data/random_example.h"
#include "app/models/vocabulary.h"
#include "app/use/translate_lines.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "data/batch.h"
#include "generate/translate.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

Tensor row_of(const std::vector<int64_t>& ids) {
  return from_values(ids, {1, static_cast<int64_t>(ids.size())});
}

std::vector<int64_t> wide(const std::vector<int>& ids) { return {ids.begin(), ids.end()}; }

std::vector<int64_t> first_row(const Tensor& ids) {
  std::vector<int64_t> all = to_host<int64_t>(ids);
  all.resize(static_cast<size_t>(ids.dim(-1)));
  return all;
}

// Of what reads text: a model that sees may read, too.
int64_t read_vocab(const Model& model) { return model.matches() ? model.match.vocab : model.vocab; }

void check_length(size_t tokens, int64_t most, const char* what) {
  ensure<UsageError>(tokens > 0, what, ": found no token in it, wanted a text");
  ensure<UsageError>(static_cast<int64_t>(tokens) <= most, what, ": ", tokens,
                     " tokens, the model reads at most ", most);
}

}  // namespace

InspectSubject::InspectSubject(const std::string& directory)
    : directory_(directory), model_(open_model(directory)) {
  if (model_.translates()) {
    if (has_pair_tokenizer(directory)) pair_.emplace(load_pair_tokenizer(directory));
    if (pair_) check_fits(model_, *pair_, directory);
  } else if (read_vocab(model_) > 0 && !tokenizer_files(directory).empty()) {
    tokenizer_.emplace(Tokenizer::load(directory));
    check_rows(*tokenizer_, read_vocab(model_), directory);
  }
}

void InspectSubject::need_tokenizer() const {
  ensure<MissingError>(tokenizer_ || pair_, directory_,
                       ": has no tokenizer, which --text needs; --input takes a safetensors file "
                       "with input_ids");
}

std::string InspectSubject::needed_input() const {
  if (model_.translates()) return "--text TEXT (and --target TEXT)";
  if (!model_.encodes() || model_.vocab > 0) return "--text TEXT";
  if (model_.matches()) return "--image FILE, --text TEXT, or both";
  return model_.encoder.task == EncoderTask::forecast ? "--csv FILE" : "--image FILE";
}

const Tokenizer* InspectSubject::tokenizer(bool source) const {
  if (pair_ && source) return &pair_->source;
  return pair_ ? &pair_->target : tokenizer_ ? &*tokenizer_ : nullptr;
}

std::string InspectSubject::token(int64_t id) const {
  if (model_.encodes() && model_.encoder.task != EncoderTask::fill) {
    const auto& labels = model_.encoder.labels.names;
    return id < static_cast<int64_t>(labels.size()) ? labels[static_cast<size_t>(id)] : text_of(id);
  }
  const Tokenizer* const own = tokenizer();
  if (!own) return text_of(id);
  const int one = static_cast<int>(id);
  const std::string text = own->decode({&one, 1}, false);
  if (!text.empty() && text.find("\xEF\xBF\xBD") == std::string::npos) return text;
  return std::string(own->id_to_token(one).value_or(text_of(id)));
}

InspectInput InspectSubject::input(const InputChoice& c) const {
  ensure<UsageError>(!c.empty(), "found no input, wanted ", needed_input(),
                     ", or --input FILE.safetensors");
  ensure<UsageError>(c.target.empty() || model_.translates(), "--target is of translations; a ",
                     model_.model_type, " model makes none");
  const bool series = model_.encodes() && model_.encoder.task == EncoderTask::forecast;
  const bool images = model_.encodes() && model_.vocab == 0 && !series;
  const bool fits =
      !c.file.empty() || (series   ? c.has_csv()
                          : images ? c.has_image() || (model_.matches() && !c.text.empty())
                                   : !c.text.empty());
  ensure<UsageError>(fits, "a ", model_.model_type, " model reads ", needed_input());
  InspectInput out = !c.file.empty()       ? from_file(c.file)
                     : series              ? from_csv(c)
                     : model_.matches()    ? from_both(c)
                     : images              ? from_image(c)
                     : model_.translates() ? from_pair(c)
                                           : from_text(c);
  name_tokens(out);
  return out;
}

InspectInput InspectSubject::input_or_any(const InputChoice& c) const {
  if (!c.empty()) return input(c);
  InspectInput out = from_nothing(c.length);
  name_tokens(out);
  return out;
}

InspectInput InspectSubject::from_text(const InputChoice& c) const {
  need_tokenizer();
  const Encoding text = tokenizer_->encode(c.text);
  check_length(text.ids.size(), model_.context, "--text");
  InspectInput out;
  out.tensors = {{"input_ids", row_of(wide(text.ids))}};
  const bool fills = model_.encodes() && model_.encoder.task == EncoderTask::fill;
  if (model_.encodes()) out.tensors.emplace_back("token_type_ids", row_of(wide(text.type_ids)));
  if (!model_.encodes() || fills) out.tensors.emplace_back("labels", row_of(wide(text.ids)));
  return out;
}

// An image, a sentence, or whether they go together.
InspectInput InspectSubject::from_both(const InputChoice& c) const {
  InspectInput out;
  if (c.has_image()) out = from_image(c);
  if (c.text.empty()) return out;
  need_tokenizer();
  const std::vector<int> ids = tokenizer_->encode_ids(c.text);
  check_length(ids.size(), model_.match.context, "--text");
  out.tensors.emplace_back("input_ids", row_of(wide(ids)));
  return out;
}

InspectInput InspectSubject::from_pair(const InputChoice& c) const {
  need_tokenizer();
  const std::vector<int> source = pair_->source.encode_ids(c.text);
  check_length(source.size(), model_.context, "--text");
  std::vector<int> target;
  if (c.target.empty()) {
    const NoGrad quiet;
    const TranslateOptions how =
        in_language(*pair_, {.beam = {.beams = 1}, .stop = c.stop}, "--target TEXT");
    target = translate(model_.seq2seq, {{source}}, how)[0].at(0).ids;
  } else {
    target = pair_->target.encode_ids(c.target);
  }
  check_length(target.size(), model_.context, "--target");
  InspectInput out;
  out.tensors = {{"input_ids", row_of(wide(source))}, {"labels", row_of(wide(target))}};
  return out;
}

InspectInput InspectSubject::from_file(const std::string& path) const {
  constexpr const char* kKnown[] = {
      "input_ids",         "attention_mask",         "token_type_ids", "position_ids",
      "decoder_input_ids", "decoder_attention_mask", "labels",         "pixel_values",
      "past_values",       "past_observed_mask",     "future_values",  "start_positions",
      "end_positions"};
  const SafetensorsFile file(path);
  InspectInput out;
  for (const char* name : kKnown)
    if (file.has(name)) out.tensors.emplace_back(name, file.read(name));
  ensure<FormatError>(!out.tensors.empty(), path,
                      ": found none of the inputs that `jogak forward` takes, such as input_ids");
  return out;
}

InspectInput InspectSubject::from_nothing(int64_t length) const {
  InspectInput out;
  if (model_.encodes()) {
    const int64_t wanted = length > 0 ? length : 16, most = model_.encoder.context;
    const EncoderExample example =
        random_example(model_.encoder, 1, most > 0 ? std::min(wanted, most) : wanted);
    const bool series = model_.encoder.task == EncoderTask::forecast;
    out.tensors = {{model_.vocab > 0 ? "input_ids"
                    : series         ? "past_values"
                                     : "pixel_values",
                    example.input.values}};
    return out;
  }
  const int64_t T = std::min(model_.context, length > 0 ? length : 16);
  if (!model_.translates()) {
    // The same tokens twice: what a head does with a repetition can be seen.
    std::vector<int64_t> ids = random_tokens((T + 1) / 2, model_.vocab);
    const std::vector<int64_t> once = ids;
    ids.insert(ids.end(), once.begin(), once.end());
    ids.resize(static_cast<size_t>(T));
    out.tensors = {{"input_ids", row_of(ids)}, {"labels", row_of(ids)}};
    return out;
  }
  out.tensors = {{"input_ids", row_of(random_tokens(T, model_.seq2seq.source_vocab))},
                 {"labels", row_of(random_tokens(T, model_.seq2seq.decoder.vocab))}};
  return out;
}

void InspectSubject::name_tokens(InspectInput& in) const {
  const ForwardInputs inputs = in.inputs();
  const auto named = [](const std::vector<int64_t>& ids, const Tokenizer* tokenizer) {
    std::vector<std::string> out;
    for (const int64_t id : ids) {
      const auto text =
          tokenizer && id >= 0 ? tokenizer->id_to_token(static_cast<int>(id)) : std::nullopt;
      out.push_back(text ? std::string(*text) : text_of(id));
    }
    return out;
  };
  name_patches(model_, in);
  if (!inputs.has("input_ids")) return;
  TokenNames& names = in.names;
  const std::vector<int64_t> ids = first_row(inputs.get("input_ids"));
  if (model_.matches()) {
    names.source_ids = ids;
    names.source = named(ids, tokenizer_ ? &*tokenizer_ : nullptr);
    return;
  }
  if (!model_.translates()) {
    names.target_ids = ids;
    names.target = named(ids, tokenizer_ ? &*tokenizer_ : nullptr);
    return;
  }
  names.source_ids = ids;
  names.source = named(ids, pair_ ? &pair_->source : nullptr);
  if (inputs.has("decoder_input_ids")) {
    names.target_ids = first_row(inputs.get("decoder_input_ids"));
  } else if (inputs.has("labels")) {
    names.target_ids = first_row(inputs.get("labels"));
    names.target_ids.insert(names.target_ids.begin(), model_.seq2seq.start);
    names.target_ids.pop_back();
  }
  names.target = named(names.target_ids, pair_ ? &pair_->target : nullptr);
  // A step that reads one token writes the next: that is what its row of cross-attention is about.
  std::vector<int64_t> written(names.target_ids.begin() + !names.target_ids.empty(),
                               names.target_ids.end());
  if (inputs.has("labels")) written = first_row(inputs.get("labels"));
  names.written = named(written, pair_ ? &pair_->target : nullptr);
  names.written.resize(names.target_ids.size(), "…");
  for (size_t i = 0; i < written.size(); ++i)
    if (written[i] < 0) names.written[i] = "…";  // behind the end
}

}  // namespace jogak
