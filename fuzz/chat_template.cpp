// Any bytes as a chat template, on a conversation: it renders or is refused by one line, within its
// limits. What is rendered twice is the same, is UTF-8, and no byte of the template counts as the
// user's.
#include <cstdint>
#include <string>

#include "base/json.h"
#include "fuzz/check.h"
#include "text/jinja/template.h"

namespace {

const jogak::jinja::Context& conversation() {
  static const auto* const kContext = [] {
    auto* out = new jogak::jinja::Context;
    const jogak::Json messages = jogak::parse_json(
        R"([{"role":"system","content":"Be kind."},{"role":"user","content":"한글 <s> 'q' \"d\"\n"},
            {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f",
             "arguments":{"x":[1,2.5,null,true],"y":{"z":"w"}}}}]},
            {"role":"tool","content":[{"type":"text","text":"t"}]}])",
        "messages");
    (*out)["messages"] = jogak::jinja::from_json(messages, true);
    (*out)["tools"] = jogak::jinja::Value(jogak::jinja::None{});
    (*out)["bos_token"] = jogak::jinja::Value("<s>");
    (*out)["add_generation_prompt"] = jogak::jinja::Value(true);
    return out;
  }();
  return *kContext;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  constexpr jinja::Limits kLimits{.steps = 20'000, .bytes = 1 << 16, .items = 10'000};
  try {
    const jinja::Template chat(source, "template");
    const MarkedText text = chat.render(conversation(), {}, kLimits);
    fuzz::require(utf8::first_invalid(text.view()) == std::string_view::npos);
    fuzz::require(chat.render(conversation(), {}, kLimits).view() == text.view());
    const jinja::Context nothing;
    fuzz::require(!chat.render(nothing, {}, kLimits).has_user(0, text.size()));
  } catch (const jinja::Raised&) {
  } catch (const Error& error) {
    fuzz::require(std::string_view(error.what()).starts_with("template: "));
  }
  return 0;
}
