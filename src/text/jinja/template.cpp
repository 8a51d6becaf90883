#include "text/jinja/template.h"

#include <utility>

#include "text/jinja/parser.h"

namespace jogak::jinja {

Template::Template(std::string_view source, std::string name)
    : name_(std::move(name)), source_(source) {
  try {
    tree_ = std::make_unique<const Tree>(parse(source));
  } catch (const Error& error) {
    fail<FormatError>(name_, ": ", error.what());
  }
}

Template::~Template() = default;
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;

MarkedText Template::render(const Context& context, const std::tm& now,
                            const Limits& limits) const {
  Machine machine(*tree_, context, {limits, now});
  try {
    return machine.run();
  } catch (const Raised&) {
    throw;
  } catch (const Error& error) {
    fail<FormatError>(name_, ": line ", machine.line(), ": ", error.what());
  }
}

}  // namespace jogak::jinja
