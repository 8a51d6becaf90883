// What a text may go on with, where it must keep a form (JSON, for example).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace jogak {

class TokenGuide {
 public:
  virtual ~TokenGuide() = default;
  // Tokens that cannot come get the score -infinity. `left`: how many may still come, this one
  // among them; a form that can be ended within them is.
  virtual void narrow(std::span<float> scores, int64_t left) = 0;
  virtual void take(int id) = 0;   // the token that came
  virtual bool whole() const = 0;  // nothing more can come: the text ends here
};

using MakeGuide = std::function<std::unique_ptr<TokenGuide>()>;  // a new one for every text

}  // namespace jogak
