// Libraries that are opened when they are first needed: a program also runs where there are none.
#pragma once

#include <initializer_list>
#include <string>

namespace jogak {

// One of NVIDIA's.
class SharedLibrary {
 public:
  // The first of `names` that is found: in the folders of JOGAK_CUDA_LIBS, where the system looks,
  // in the usual places of the toolkit and of Python packages. DeviceError when there is none.
  SharedLibrary(const char* what, std::initializer_list<const char*> names);

  // By name; DeviceError when the library lacks it.
  template <class Function>
  void load(Function*& to, const char* name) const {
    to = reinterpret_cast<Function*>(find(name));
  }
  const std::string& path() const { return path_; }
  void* handle() const { return handle_; }  // as the system knows it

 private:
  void* find(const char* name) const;
  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace jogak
