// A callable passed down without owning it: cheaper than std::function, valid for the call only.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace jogak {

template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)
      : self_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* self, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(self))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(self_, std::forward<Args>(args)...); }

 private:
  void* self_;
  Result (*call_)(void*, Args...);
};

}  // namespace jogak
