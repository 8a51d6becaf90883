#include "text/normalizer.h"

#include <utility>
#include <vector>

#include "text/reading.h"

namespace jogak::text {
namespace {

class Prepend : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}
  AlignedText apply(AlignedText in) const override {
    if (in.text().empty()) return in;
    return with_prefix(prefix_, Piece{&in, {0, in.text().size()}});
  }
  Json to_json() const override {
    return Json::object({{"type", "Prepend"}, {"prepend", prefix_}});
  }

 private:
  std::string prefix_;
};

class NormalizerSequence : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<std::unique_ptr<Normalizer>> steps)
      : steps_(std::move(steps)) {}
  AlignedText apply(AlignedText in) const override {
    for (const auto& step : steps_) in = step->apply(std::move(in));
    return in;
  }
  Json to_json() const override {
    Json list = Json::array();
    for (const auto& step : steps_) list.push(step->to_json());
    return Json::object({{"type", "Sequence"}, {"normalizers", list}});
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> steps_;
};

}  // namespace

std::unique_ptr<Normalizer> Normalizer::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  const std::string& type = type_of(fields, "normalizer");
  if (type == "Prepend") {
    only_keys(fields, {"type", "prepend"});
    return std::make_unique<Prepend>(fields.text("prepend"));
  }
  if (type == "Sequence") {
    only_keys(fields, {"type", "normalizers"});
    std::vector<std::unique_ptr<Normalizer>> steps;
    for (const Json& step : steps_of(fields, "normalizers")) steps.push_back(read(step, file));
    return std::make_unique<NormalizerSequence>(std::move(steps));
  }
  unsupported_type(fields, "normalizer");
}

}  // namespace jogak::text
