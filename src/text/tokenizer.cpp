#include "text/tokenizer.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/utf8.h"
#include "text/pipeline.h"
#include "text/tokenizer_parts.h"

namespace jogak {

using text::AddedToken;
using text::Model;

// Workers wait here between calls, so that their caches stay warm. A worker whose call ended in
// an error is not kept.
class Tokenizer::Workers {
 public:
  std::unique_ptr<Model::Worker> take(const Model& model) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return model.worker();
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  void give_back(std::unique_ptr<Model::Worker> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Model::Worker>> idle_;
};

namespace {

void require_utf8(std::string_view text) {
  const size_t bad = utf8::first_invalid(text);
  ensure<FormatError>(bad == std::string_view::npos, "text: byte ", bad,
                      ": found bytes that are not UTF-8, wanted UTF-8 text");
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts)
    : parts_(std::make_unique<TokenizerParts>(std::move(parts))),
      workers_(std::make_unique<Workers>()) {
  parts_->added.finish(parts_->normalizer.get());
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Encoding Tokenizer::encoded(std::span<const std::string_view> texts, EncodeOptions options,
                            bool ids_only) const {
  for (const std::string_view text : texts) require_utf8(text);
  auto worker = workers_->take(*parts_->model);
  std::vector<Encoding> parts;
  for (size_t i = 0; i < texts.size(); ++i) {
    const text::PipelineOptions how{options.special_as_text, static_cast<int>(i), options.marks};
    parts.push_back(ids_only ? text::run_for_ids(*parts_, *worker, texts[i], how)
                             : text::run_pipeline(*parts_, *worker, texts[i], how));
  }
  workers_->give_back(std::move(worker));
  const auto& processor = parts_->post_processor;
  const size_t added = processor && options.add_special ? processor->added(texts.size() > 1) : 0;
  if (options.limits && parts_->truncation) parts_->truncation->apply(parts, added);
  if (options.most > 0) text::Truncation{.max_length = options.most}.apply(parts, added);
  if (processor) processor->process(parts, options.add_special);
  for (size_t i = 1; i < parts.size(); ++i) parts[0].append(parts[i]);
  return std::move(parts[0]);
}

void Tokenizer::bare_pieces(std::string_view text, EncodeOptions options, size_t tokens,
                            const std::function<void(Encoding)>& take) const {
  require_utf8(text);
  auto worker = workers_->take(*parts_->model);
  text::run_in_pieces(*parts_, *worker, text, {options.special_as_text, 0, options.marks}, tokens,
                      take);
  workers_->give_back(std::move(worker));
}

Encoding Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  return std::move(encode_batch({&text, 1}, options)[0]);
}

Encoding Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                EncodeOptions options) const {
  const std::string_view texts[] = {first, second};
  Encoding out = encoded(texts, options, false);
  if (options.limits && parts_->padding) parts_->padding->apply({&out, 1});
  return out;
}

std::vector<Encoding> Tokenizer::encode_batch(std::span<const std::string_view> texts,
                                              EncodeOptions options) const {
  std::vector<Encoding> out;
  for (const std::string_view& text : texts) out.push_back(encoded({&text, 1}, options, false));
  if (options.limits && parts_->padding) parts_->padding->apply(out);
  return out;
}

std::vector<int> Tokenizer::encode_ids(std::string_view text, EncodeOptions options) const {
  try {
    Encoding out = encoded({&text, 1}, options, true);
    if (options.limits && parts_->padding) parts_->padding->apply({&out, 1});
    return std::move(out.ids);
  } catch (const text::PlaceNotKnown&) {
    return encode(text, options).ids;  // fails again, with the place
  }
}

std::vector<int> Tokenizer::encode_ids(const MarkedText& text, EncodeOptions options) const {
  options.marks = &text;
  return encode_ids(text.view(), options);
}

std::string Tokenizer::decode(std::span<const int> ids, bool skip_special) const {
  std::string out;
  const auto append = [&](std::string_view text) { out += text; };
  const auto pass = parts_->decoder ? parts_->decoder->start() : text::spaced_tokens();
  for (const int id : ids) {
    ensure(id >= 0, "decode: found the id ", id, ", wanted ids from 0");
    const auto token = id_to_token(id);
    if (token) skip_special&& is_special(id) ? pass->skip(append) : pass->push(*token, append);
  }
  pass->finish(append);
  return out;
}

int Tokenizer::vocab_size() const {
  return std::max(parts_->model->vocab().size(), parts_->added.max_id() + 1);
}

std::optional<int> Tokenizer::token_to_id(std::string_view token) const {
  if (const AddedToken* added = parts_->added.find(token)) return added->id;
  const int id = parts_->model->vocab().find(token);
  return id >= 0 ? std::optional(id) : std::nullopt;
}

std::optional<std::string_view> Tokenizer::id_to_token(int id) const {
  if (const AddedToken* added = parts_->added.find(id)) return added->written;
  const text::Vocab& vocab = parts_->model->vocab();
  return vocab.has(id) ? std::optional(vocab.token(id)) : std::nullopt;
}

bool Tokenizer::is_special(int id) const {
  if (id >= 0 && static_cast<size_t>(id) < parts_->control.size() && parts_->control[id])
    return true;
  const AddedToken* added = parts_->added.find(id);
  return added && parts_->added.leaves_out(*added);
}

std::optional<int> Tokenizer::role_id(const std::string& role) const {
  const auto found = parts_->roles.find(role);
  return found == parts_->roles.end() ? std::nullopt : token_to_id(found->second);
}

void Tokenizer::set_role(const std::string& role, std::string token) {
  parts_->roles[role] = std::move(token);
}

const std::map<std::string, std::string>& Tokenizer::roles() const { return parts_->roles; }

void Tokenizer::surround(const std::vector<std::string>& before,
                         const std::vector<std::string>& after) {
  Json single = Json::array(), pair = Json::array(), special = Json::object();
  const auto text = [](const char* which) {
    return Json::object({{"Sequence", Json::object({{"id", which}, {"type_id", 0}})}});
  };
  const auto put = [&](const std::string& token) {
    const auto id = token_to_id(token);
    ensure<FormatError>(id.has_value(), "the tokenizer has no token ", json_quote(token));
    const Json piece =
        Json::object({{"SpecialToken", Json::object({{"id", token}, {"type_id", 0}})}});
    single.push(piece), pair.push(piece);
    special.set(
        token, Json::object(
                   {{"id", token}, {"ids", Json::array({*id})}, {"tokens", Json::array({token})}}));
  };
  for (const std::string& token : before) put(token);
  single.push(text("A")), pair.push(text("A")), pair.push(text("B"));
  for (const std::string& token : after) put(token);
  parts_->post_processor =
      text::PostProcessor::read(Json::object({{"type", "TemplateProcessing"},
                                              {"single", std::move(single)},
                                              {"pair", std::move(pair)},
                                              {"special_tokens", std::move(special)}}),
                                "post_processor");
}

std::optional<int64_t> Tokenizer::max_length() const { return parts_->max_length; }
void Tokenizer::set_max_length(int64_t tokens) { parts_->max_length = tokens; }

const std::string& Tokenizer::spm() const { return parts_->spm; }

}  // namespace jogak
