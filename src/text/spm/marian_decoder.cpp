#include <algorithm>
#include <array>
#include <utility>

#include "text/spm/decoder.h"
#include "text/spm/marian_model.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

// What Python's str.strip takes away.
bool is_python_space(char32_t code) {
  constexpr std::array<char32_t, 10> kSingle = {0x20,   0x85,   0xA0,   0x1680, 0x2028,
                                                0x2029, 0x202F, 0x205F, 0x3000};
  return (code >= 9 && code <= 13) || (code >= 0x1C && code <= 0x1F) ||
         (code >= 0x2000 && code <= 0x200A) ||
         (code != 0 && std::find(kSingle.begin(), kSingle.end(), code) != kSingle.end());
}

class MarianDecoder : public Decoder {
 public:
  MarianDecoder(const SpmFile& spm, std::vector<std::string> special)
      : spm_(make_spm_decoder(spm)), special_(std::move(special)) {}

  std::unique_ptr<Pass> start() const override { return std::make_unique<MarianPass>(*this); }
  Json to_json() const override { return spm_->to_json(); }

 private:
  class MarianPass : public Pass {
   public:
    explicit MarianPass(const MarianDecoder& of) : of_(of), part_(of.spm_->start()) {}

    void push(std::string_view token, TextSink out) override {
      const auto trimmed = [&](std::string_view text) { give(text, out); };
      if (std::find(of_.special_.begin(), of_.special_.end(), token) == of_.special_.end())
        return part_->push(token, trimmed);
      part_->finish(trimmed);
      part_ = of_.spm_->start();
      give(token, out);
      give(" ", out);
    }

    void finish(TextSink out) override {
      part_->finish([&](std::string_view text) { give(text, out); });
      spaces_.clear();
    }

   private:
    // Spaces wait until something follows them; those in front go.
    void give(std::string_view text, TextSink out) {
      for (size_t at = 0; at < text.size();) {
        const Code next = code_at(text.data() + at);
        const std::string_view one = text.substr(at, next.size);
        at += next.size;
        if (one == kSpmSpace) {
          spaces_ += ' ';
        } else if (is_python_space(next.value)) {
          spaces_ += one;
        } else {
          if (begun_ && !spaces_.empty()) out(spaces_);
          spaces_.clear();
          begun_ = true;
          out(one);
        }
      }
    }

    const MarianDecoder& of_;
    std::unique_ptr<Pass> part_;
    std::string spaces_;
    bool begun_ = false;
  };

  std::unique_ptr<Decoder> spm_;
  std::vector<std::string> special_;
};

}  // namespace

std::unique_ptr<Decoder> make_marian_decoder(const SpmFile& spm, std::vector<std::string> special) {
  return std::make_unique<MarianDecoder>(spm, std::move(special));
}

}  // namespace jogak::text
