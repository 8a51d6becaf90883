// A Jinja template, as transformers runs chat templates: jinja2's ImmutableSandboxedEnvironment
// with trim_blocks, lstrip_blocks, loop controls, the generation tag and its own tojson. What is
// not in the subset is refused by line, when the template is read or where it comes to it.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "text/jinja/machine.h"

namespace jogak::jinja {

class Template {
 public:
  // `name` is what errors call it: "NAME: line 3: what". Throws FormatError.
  Template(std::string_view source, std::string name);
  ~Template();
  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;

  // Throws FormatError, or Raised with the template's own message. Any number of threads may render
  // at the same time. `now` is the time of strftime_now.
  MarkedText render(const Context& context, const std::tm& now, const Limits& limits = {}) const;

  const std::string& source() const { return source_; }

 private:
  std::string name_, source_;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace jogak::jinja
