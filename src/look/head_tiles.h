// One head as small pictures of bytes, and as its strongest links.
#pragma once

#include "look/attention_book.h"

namespace jogak {

// Weights as bytes: 255 * sqrt(weight / high), so that what is small can be seen beside what is
// large. A dot that stands for several weights is the largest of them.
struct Tile {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> bytes = {};
};
uint8_t weight_byte(float weight, float high);

struct Thumbnail {
  Tile tile;
  float high;  // the largest weight of the head, which is white or black
};
Thumbnail thumbnail(const HeadWeights& head, int64_t side);  // at most side x side

struct TilePlace {
  int64_t x = 0, y = 0;  // which tile: across (keys) and down (queries)
  int64_t zoom = 0;      // a dot is 2^zoom weights across and down
  int64_t side = 256;    // dots
};
Tile tile(const HeadWeights& head, const TilePlace& place, float high);  // empty beyond the edge

struct Link {
  int64_t query = 0, key = 0;
  float weight = 0;
};
// The strongest `count` that are not 0, strongest first; of one query alone where `query` is not
// -1.
std::vector<Link> strongest(const HeadWeights& head, int64_t count, int64_t query = -1);

}  // namespace jogak
