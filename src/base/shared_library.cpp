#include "base/shared_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <vector>

#include "base/error.h"

namespace jogak {
namespace {

std::vector<std::string> matching(const std::string& pattern) {
  std::vector<std::string> out;
  glob_t found = {};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return out;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// The folder above that of the python3 that would be started: where PyTorch brings the libraries.
std::string python_root() {
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (!folder.empty() && access((folder + "/python3").c_str(), X_OK) == 0)
      return folder.substr(0, folder.rfind('/'));
  return {};
}

std::vector<std::string> folders() {
  std::vector<std::string> out;
  std::istringstream listed(variable("JOGAK_CUDA_LIBS"));
  for (std::string folder; std::getline(listed, folder, ':');)
    if (!folder.empty()) out.push_back(folder + "/");
  out.emplace_back();  // where the system looks
  out.emplace_back("/usr/local/cuda/lib64/");
  const std::string packages = "/lib/python3*/*-packages/nvidia/*/lib/";
  for (const std::string& root :
       {variable("VIRTUAL_ENV"), variable("CONDA_PREFIX"), python_root(),
        variable("HOME") + "/.local", std::string("/usr/local"), std::string("/usr")})
    if (!root.empty())
      for (const std::string& folder : matching(root + packages)) out.push_back(folder);
  return out;
}

}  // namespace

SharedLibrary::SharedLibrary(const char* what, std::initializer_list<const char*> names) {
  for (const std::string& folder : folders())
    for (const char* name : names) {
      handle_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle_) continue;
      path_ = folder + name;
      return;
    }
  fail<DeviceError>(what, " (", *names.begin(),
                    ") was not found; name its folder in JOGAK_CUDA_LIBS");
}

void* SharedLibrary::find(const char* name) const {
  void* const address = dlsym(handle_, name);
  ensure<DeviceError>(address != nullptr, path_, ": has no ", name);
  return address;
}

}  // namespace jogak
