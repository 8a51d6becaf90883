#include "draw/outline.h"

#include "base/error.h"

namespace jogak {
namespace {

using Wiring = ModelOutline::Wiring;
using Part = DiagramBox::Part;

constexpr Words kWiring[] = {{"인코더-디코더", "encoder-decoder"},
                             {"디코더만", "decoder only"},
                             {"인코더만", "encoder only"}};
constexpr Words kEncoder{"인코더", "encoder"}, kDecoder{"디코더", "decoder"};
constexpr Words kTokens{"토큰 임베딩", "token embedding"};
constexpr Words kImage{"그림 패치와 분류 토큰", "image patches and class token"};
constexpr Words kSeries{"시계열 패치", "patches of the series"};
constexpr Words kNorm{"정규화", "norm"}, kAdd{"더하기(잔차)", "add (residual)"};
constexpr Words kAddNorm{"더하고 정규화", "add and norm"};
constexpr Words kSelf{"셀프 어텐션", "self-attention"};
constexpr Words kMasked{"마스크 셀프 어텐션", "masked self-attention"};
constexpr Words kCross{"크로스 어텐션", "cross-attention"};
constexpr Words kFeedForward{"피드포워드", "feed-forward"};
constexpr Words kSideBySide{"어텐션과 피드포워드를 나란히",
                            "attention and feed-forward side by side"};
constexpr Words kHead{"출력층", "output layer"}, kMemory{"키와 값", "keys and values"};
constexpr Words kHeads{"헤드", "heads"}, kShared{"키 헤드", "key heads"};

class Drawing {
 public:
  Drawing(const ModelOutline& outline, Lang lang) : o_(outline), lang_(lang) {}

  Picture picture() {
    Picture out;
    out.kind = Picture::Kind::diagram;
    out.name = "wiring_" + std::to_string(static_cast<int>(o_.wiring) + 1);
    out.title = text_of(kWiring[static_cast<size_t>(o_.wiring)](lang_), ": ", o_.name);
    if (o_.wiring != Wiring::decoder) {
      out.lanes.push_back({text(kEncoder), {}});
      embed(out.lanes.back());
      stack(out.lanes.back(), o_.encoder, false);
    }
    if (o_.wiring != Wiring::encoder) {
      out.lanes.push_back({text(kDecoder), {}});
      embed(out.lanes.back());
      stack(out.lanes.back(), o_.decoder, true);
    }
    if (o_.outputs > 0)
      add(out.lanes.back(), Part::other, text(kHead), text_of(o_.width, " → ", o_.outputs));
    if (o_.wiring == Wiring::encoder_decoder)
      out.links.push_back({out.lanes[0].boxes.size() - 1, cross_, text(kMemory)});
    return out;
  }

 private:
  std::string text(const Words& words) const { return std::string(words(lang_)); }

  void add(DiagramLane& lane, Part part, std::string words, std::string note = {}) {
    lane.boxes.push_back({part, std::move(words), std::move(note), repeat_});
  }

  void embed(DiagramLane& lane) {
    const Words& words = o_.input == ModelOutline::Input::tokens  ? kTokens
                         : o_.input == ModelOutline::Input::image ? kImage
                                                                  : kSeries;
    const Words kind = o_.positions == "learned" ? Words{"학습한 위치", "learned positions"}
                       : o_.positions == "rotary"
                           ? Words{"회전 위치(RoPE)", "rotary positions (RoPE)"}
                       : o_.positions == "alibi"    ? Words{"ALiBi 위치", "ALiBi positions"}
                       : o_.positions == "relative" ? Words{"상대 위치", "relative positions"}
                                                    : Words{"사인파 위치", "sinusoidal positions"};
    add(lane, Part::embedding, text(words), text(kind));
  }

  std::string heads_note(const ModelOutline::Stack& stack) const {
    const auto counted = [&](int64_t count, const Words& words) {
      return lang_ == Lang::ko ? text_of(text(words), " ", count, "개")
                               : text_of(count, " ", text(words));
    };
    std::string out = text_of(counted(stack.heads, kHeads), " × ", o_.head_width);
    if (stack.kv_heads != stack.heads) out += ", " + counted(stack.kv_heads, kShared);
    return out;
  }

  // A sub-layer between its norms.
  void sub_layer(DiagramLane& lane, Part part, const Words& words, const std::string& note) {
    using Block = ModelOutline::Block;
    const bool post = o_.block == Block::post, after = o_.block == Block::after;
    const size_t from = lane.boxes.size();
    if (!post && !after) add(lane, Part::norm, text(kNorm), o_.norm);
    add(lane, part, text(words), note);
    if (after || o_.block == Block::both) add(lane, Part::norm, text(kNorm), o_.norm);
    lane.skips.push_back({from, lane.boxes.size()});
    add(lane, Part::norm, text(post ? kAddNorm : kAdd), post ? o_.norm : "");
  }

  void stack(DiagramLane& lane, const ModelOutline::Stack& stack, bool masked) {
    repeat_ = text_of("× ", stack.layers);
    const std::string wide =
        text_of(o_.width, " → ", stack.inner, " → ", o_.width, ", ", o_.activation);
    if (o_.block == ModelOutline::Block::parallel) {
      sub_layer(lane, Part::attention, kSideBySide, heads_note(stack) + "; " + wide);
    } else {
      sub_layer(lane, Part::attention, masked ? kMasked : kSelf, heads_note(stack));
      if (masked && o_.wiring == Wiring::encoder_decoder) {
        cross_ = lane.boxes.size() + (o_.block == ModelOutline::Block::post ? 0 : 1);
        sub_layer(lane, Part::cross, kCross, heads_note(stack));
      }
      sub_layer(lane, Part::feed_forward, kFeedForward, wide);
    }
    repeat_.clear();
    if (o_.final_norm) add(lane, Part::norm, text(kNorm), o_.norm);
  }

  const ModelOutline& o_;
  Lang lang_;
  std::string repeat_;
  size_t cross_ = 0;
};

}  // namespace

ModelOutline example_outline(Wiring wiring) {
  ModelOutline out;
  out.wiring = wiring;
  out.head_width = 64;
  switch (wiring) {
    case Wiring::encoder_decoder:
      out.name = "Transformer (2017)";
      out.encoder = out.decoder = {6, 8, 8, 2048};
      out.width = 512;
      out.vocab = out.outputs = 37000;
      out.context = 512;
      break;
    case Wiring::decoder:
      out.name = "GPT-2 small";
      out.block = ModelOutline::Block::pre;
      out.decoder = {12, 12, 12, 3072};
      out.width = 768;
      out.vocab = out.outputs = 50257;
      out.context = 1024;
      out.positions = "learned";
      out.activation = "GELU";
      out.final_norm = true;
      break;
    case Wiring::encoder:
      out.name = "BERT-base";
      out.encoder = {12, 12, 12, 3072};
      out.width = 768;
      out.vocab = out.outputs = 30522;
      out.context = 512;
      out.positions = "learned";
      out.activation = "GELU";
      break;
  }
  return out;
}

Picture diagram_of(const ModelOutline& outline, Lang lang) {
  return Drawing(outline, lang).picture();
}

}  // namespace jogak
