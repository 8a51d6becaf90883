// A model of the page: opened once to be looked into, and once more to be used, when somebody does.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "app/show/inspect_input.h"
#include "app/use/encoder.h"
#include "app/use/forecaster.h"
#include "app/use/generator.h"
#include "app/use/translator.h"
#include "text/chat_template.h"

namespace jogak {

class OpenModel {
 public:
  // `dtype` is that of the weights of a model that writes: auto, f32 or bf16.
  explicit OpenModel(const std::string& directory, std::string dtype = "auto")
      : subject_(directory), dtype_(std::move(dtype)) {}

  const InspectSubject& subject() const { return subject_; }
  // FormatError for a model that does something else, naming the command that runs it.
  const Generator& generator() const { return opened(generator_, dtype_); }
  const Translator& translator() const { return opened(translator_); }
  const Encoder& encoder() const { return opened(encoder_); }
  const Forecaster& forecaster() const { return opened(forecaster_); }
  const ChatTemplates& chat_templates() const {
    const std::lock_guard lock(mutex_);
    if (!templates_)
      templates_ = std::make_unique<const ChatTemplates>(ChatTemplates::load(subject_.directory()));
    return *templates_;
  }

 private:
  template <class T, class... More>
  const T& opened(std::unique_ptr<const T>& place, const More&... more) const {
    const std::lock_guard lock(mutex_);
    if (!place) place = std::make_unique<const T>(subject_.directory(), more...);
    return *place;
  }

  InspectSubject subject_;
  std::string dtype_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Generator> generator_;
  mutable std::unique_ptr<const Translator> translator_;
  mutable std::unique_ptr<const Encoder> encoder_;
  mutable std::unique_ptr<const Forecaster> forecaster_;
  mutable std::unique_ptr<const ChatTemplates> templates_;
};

}  // namespace jogak
