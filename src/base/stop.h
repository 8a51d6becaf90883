// The user wants the program to end: a flag that a signal sets and long work looks at. Whoever does
// not look is ended from outside, a moment later; what is said here makes that harmless.
#pragma once

#include <atomic>
#include <functional>

namespace jogak {

std::atomic<bool>& stop_asked();  // a signal handler may set it

// While one lives, the work ends by itself and in order: it saves, or it is in the middle of
// changing what must be whole. Nobody ends it from outside.
class EndsItself {
 public:
  EndsItself();
  ~EndsItself();
  EndsItself(const EndsItself&) = delete;
  EndsItself& operator=(const EndsItself&) = delete;
};
bool ends_itself();  // whether one lives

// What must not stay behind when the program is ended from outside. `remove` is called then, from
// another thread, while the work still goes on; not when the object goes as it should.
class Unfinished {
 public:
  explicit Unfinished(std::function<void()> remove);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  std::function<void()> remove_;
};
// For whoever ends the program right afterwards: from here on nothing is finished and nothing new
// begun. False, and nothing happens, where work ends by itself.
bool remove_unfinished();

}  // namespace jogak
