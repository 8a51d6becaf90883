#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "look/alignment_parts.h"
#include "look/head_stats.h"
#include "look/views.h"

namespace jogak {
namespace {

std::vector<std::string> visible(const std::vector<std::string>& tokens, int64_t count) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(i < static_cast<int64_t>(tokens.size())
                      ? visible_token(tokens[static_cast<size_t>(i)])
                      : std::to_string(i));
  return out;
}

const std::vector<std::string>& queries_of(const std::string& kind, const TokenNames& names) {
  if (kind == "series") return names.series;
  if (kind == "cross" && !names.written.empty()) return names.written;
  return kind == "encoder" || kind == "text" ? names.source : names.target;
}

const std::vector<std::string>& keys_of(const std::string& kind, const TokenNames& names) {
  return kind == "cross" ? names.source : queries_of(kind, names);
}

std::string kind_words(const std::string& kind, Lang lang) {
  if (kind == "cross") return lang == Lang::ko ? "크로스 어텐션" : "cross-attention";
  if (kind == "encoder") return lang == Lang::ko ? "인코더 셀프 어텐션" : "encoder self-attention";
  if (kind == "series") return lang == Lang::ko ? "시계열 사이 어텐션" : "attention between series";
  if (kind == "text") return lang == Lang::ko ? "글의 셀프 어텐션" : "self-attention of the text";
  return lang == Lang::ko ? "셀프 어텐션" : "self-attention";
}

std::string kind_word(const std::string& kind, Lang lang) {  // in a column of them
  if (lang == Lang::en) return kind;
  return kind == "cross"     ? "크로스"
         : kind == "encoder" ? "인코더"
         : kind == "series"  ? "시계열"
         : kind == "text"    ? "글"
                             : "셀프";
}

Plate plate_of(const AttentionMap& map, int64_t head, const TokenNames& names,
               const AttentionChoice& c, Lang lang) {
  const bool ko = lang == Lang::ko;
  Plate out;
  Picture& p = out.picture;
  p.name = text_of("attention.", map.kind, ".", map.layer, ".", head);
  p.title = ko ? text_of("층 ", map.layer, " · 헤드 ", head)
               : text_of("layer ", map.layer, " · head ", head);
  p.x_title = ko ? "키: 보이는 토큰" : "key: looked at";
  p.y_title = ko ? "쿼리: 보는 토큰" : "query: looks";
  if (map.kind == "cross" && !names.written.empty()) {  // as in alignments
    p.x_title = alignment::source_words()(lang);
    p.y_title = alignment::target_words()(lang);
  }
  p.values = map.of(c.row, head);
  p.rows = visible(queries_of(map.kind, names), p.values.rows);
  p.columns = visible(keys_of(map.kind, names), p.values.columns);
  if (c.transpose) {
    p.values = transposed(p.values);
    std::swap(p.rows, p.columns), std::swap(p.x_title, p.y_title);
  }
  out.about = {{"attention", map.kind}, {"layer", map.layer}, {"head", head}};
  return out;
}

// What the first token of a class or the mean patch sees of an image, over the image.
Plate image_plate(const Plate& of, const ImagePatches& image, Lang lang) {
  const bool ko = lang == Lang::ko;
  Plate out = of;
  Picture& p = out.picture;
  p.name = "image." + p.name;
  p.title += image.before > 0 ? (ko ? " · 분류 토큰이 본 그림" : " · what the class token sees")
                              : (ko ? " · 평균으로 본 그림" : " · what patches see on average");
  p.values = Matrix(image.rows, image.columns);
  const Matrix& weights = of.picture.values;
  const int64_t looking = image.before > 0 ? 1 : weights.rows;
  for (int64_t i = 0; i < looking; ++i)
    for (int64_t j = 0; j < p.values.size(); ++j)
      p.values.values[static_cast<size_t>(j)] +=
          weights.at(i, image.before + j) / static_cast<double>(looking);
  p.x_title = ko ? "패치의 열" : "column of patches",
  p.y_title = ko ? "패치의 행" : "row of patches";
  p.rows = p.columns = {};
  for (int64_t i = 0; i < image.rows; ++i) p.rows.push_back(std::to_string(i));
  for (int64_t j = 0; j < image.columns; ++j) p.columns.push_back(std::to_string(j));
  p.backdrop = image.pixels;
  return out;
}

// One scale for all heads that are shown, so that equal colours are equal weights.
void share_scale(std::vector<Plate>& plates) {
  double most = 0;
  for (const Plate& plate : plates)
    for (const double w : plate.picture.values.values) most = std::max(most, w);
  for (Plate& plate : plates)
    plate.picture.low = 0, plate.picture.high = std::max(0.1, std::ceil(most * 10 - 1e-6) / 10);
}

std::string chosen_kind(const std::vector<AttentionMap>& maps, const std::string& wanted) {
  std::string known, found;
  for (const AttentionMap& map : maps) {
    if (map.kind == wanted || (wanted.empty() && map.kind == "cross")) return map.kind;
    if (known.find(map.kind) == std::string::npos) known += (known.empty() ? "" : ", ") + map.kind;
    if (found.empty() || map.kind != "text") found = map.kind;
  }
  ensure<UsageError>(wanted.empty(), "--kind: found \"", wanted, "\", this model has ", known);
  ensure<UsageError>(!found.empty(), "this model has no attention layers");
  return found;
}

Json number_or_null(double x) { return std::isnan(x) ? Json() : Json(x); }

}  // namespace

void show_attention(const std::vector<AttentionMap>& maps, const TokenNames& names,
                    const AttentionChoice& choice, Inspection& out) {
  const std::string kind = chosen_kind(maps, choice.kind);
  int64_t count = 0;
  for (const AttentionMap& map : maps)
    if (map.kind == kind) count = std::max(count, map.layer + 1);
  const int64_t layer = choice.layer == -1 ? count - 1 : choice.layer;
  ensure<UsageError>(layer < count, "--layer: found ", layer, ", the model has ", count,
                     " layers, counted from 0");
  std::vector<Plate> maps_shown, images;
  for (const AttentionMap& map : maps) {
    if (map.kind != kind || (layer >= 0 && map.layer != layer)) continue;
    ensure<UsageError>(choice.head < map.heads(), "--head: found ", choice.head, ", the layer has ",
                       map.heads(), " heads, counted from 0");
    ensure<UsageError>(choice.row < map.weights.dim(0), "--row: found ", choice.row, ", there are ",
                       map.weights.dim(0), " rows, counted from 0");
    for (int64_t h = 0; h < map.heads(); ++h)
      if (choice.head < 0 || h == choice.head) {
        AttentionChoice upright = choice;
        upright.transpose = false;
        if (kind != "text" &&
            names.image.rows * names.image.columns + names.image.before == map.weights.dim(3) &&
            names.image.rows > 0)
          images.push_back(
              image_plate(plate_of(map, h, names, upright, out.lang), names.image, out.lang));
        maps_shown.push_back(plate_of(map, h, names, choice, out.lang));
      }
  }
  share_scale(maps_shown);
  share_scale(images);
  for (std::vector<Plate>* plates : {&maps_shown, &images})
    for (Plate& plate : *plates) out.plates.push_back(std::move(plate));
  out.title = text_of(out.model_type, ": ", kind_words(kind, out.lang));
  out.facts.emplace_back("attention", kind);
}

void show_heads(const std::vector<AttentionMap>& maps, const TokenNames& names, int64_t row,
                Inspection& out) {
  ensure<UsageError>(!maps.empty(), "this model has no attention layers");
  const Lang lang = out.lang;
  const bool ko = lang == Lang::ko;
  out.title = text_of(out.model_type, ": ", ko ? "헤드마다 하는 일" : "what each head does");
  DataTable table{"heads",
                  ko ? "어텐션에서 차지하는 몫, 엔트로피(비트), 평균 거리"
                     : "shares of the attention, entropy in bits, mean distance",
                  {"kind", "layer", "head", "previous", "next", "first", "itself", "same",
                   "induction", "near", "entropy", "distance", "looks"}};
  Picture p{.name = "heads", .title = ko ? "헤드의 몫" : "shares by head"};
  p.x_title = ko ? "무엇을 보는가" : "what it looks at";
  p.y_title = ko ? "층.헤드" : "layer.head";
  for (size_t j = 3; j < 10; ++j)
    p.columns.emplace_back(ko ? column_title(table.columns[j], lang) : table.columns[j]);
  for (const AttentionMap& map : maps) {
    ensure<UsageError>(row < map.weights.dim(0), "--row: found ", row, ", there are ",
                       map.weights.dim(0), " rows, counted from 0");
    const bool read = map.kind == "encoder" || map.kind == "text";
    const auto& ids = read ? names.source_ids : names.target_ids;
    for (int64_t h = 0; h < map.heads(); ++h) {
      const HeadMeasures m =
          head_stats(map.of(row, h), map.kind == "series" ? std::span<const int64_t>{} : ids,
                     map.kind == "cross");
      std::vector<Json> cells = {map.kind, map.layer, h};
      for (const double share :
           {m.previous, m.next, m.first, m.itself, m.same, m.induction, m.near}) {
        cells.push_back(number_or_null(share));
        p.values.values.push_back(std::isnan(share) ? 0 : share);
      }
      for (const double x : {m.entropy, m.distance}) cells.push_back(number_or_null(x));
      cells.emplace_back(std::string(head_name(m)));
      table.rows.push_back(std::move(cells));
      table.spoken[0].push_back(kind_word(map.kind, lang));
      table.spoken[12].push_back(head_text(m, lang));
      p.rows.push_back(
          text_of(map.kind == "self" ? "" : kind_word(map.kind, lang) + " ", map.layer, ".", h));
    }
  }
  p.values.rows = static_cast<int64_t>(p.rows.size());
  p.values.columns = 7;
  out.plates.push_back({std::move(p)});
  out.tables.push_back(std::move(table));
}

}  // namespace jogak
