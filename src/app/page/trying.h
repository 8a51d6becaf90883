// Models at work, as the page tries them: the next token with its rivals, an image's labels,
// sentences side by side, and how far forecasts were off.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "app/page/open_model.h"
#include "base/json.h"

namespace jogak {

// {"tokens":[{"id","text","probability","chance"}],"prompt":[..]}: the likeliest next tokens;
// `probability` is the model's own, `chance` what is left of it after temperature and filters.
Json next_tokens(const Generator& generator, const std::string& prompt,
                 const GenerateOptions& options, size_t count);

// Labels of an image or a text, as `jogak classify --json` says them.
// Of a model that matches: how well each sentence fits the image, the shares of all.
Json matched_labels(const InspectSubject& subject, const std::string& bytes,
                    const std::vector<std::string>& labels, size_t top,
                    const std::atomic<bool>* stop);
Json image_labels(const InspectSubject& subject, const std::string& bytes, size_t top,
                  const std::atomic<bool>* stop);

// {"texts","cosines":[[..]]}: each with each.
Json compared(const Encoder& encoder, const std::vector<std::string>& texts,
              const std::atomic<bool>* stop);

// As `jogak forecast --json`, with "past" (what was known), "dates_past" and "error" (the mean
// absolute error by distance, on windows of the past; null without quantiles) of each series.
Json forecast_view(const Forecaster& forecaster, const std::string& csv,
                   const ForecastOptions& options);

// How a text is cut: {"tokens":[{"id","token","text","start","end","bytes","special"}],"vocab"}.
Json cut_text(const Tokenizer& tokenizer, const std::string& text);

}  // namespace jogak
