// What config.json of Qwen2 and Qwen3 has of windows: layers from max_window_layers on are local.
#pragma once

#include "models/decoders/rotary_keys.h"

namespace jogak {

template <class C>
ConfigKey<C> qwen_windows() {
  return ConfigKey<C>::together(
      {"use_sliding_window", "sliding_window", "layer_types"},
      [](const Fields& f, C& c) {
        read_window(f, c, 4096);
        if (!f.flag_or("use_sliding_window", false)) c.window = 0;
        const int64_t full = f.integer_or("max_window_layers", 28, {0, 1 << 24});
        read_layer_types(f, c, [full](const C&, int64_t layer) { return layer >= full; });
      },
      [](const C& c, Json& json) {
        json.set("use_sliding_window", c.window > 0);
        write_window(c, json);
        write_layer_types(c, json);
      });
}

}  // namespace jogak
