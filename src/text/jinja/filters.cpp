#include "text/jinja/filters.h"

namespace jogak::jinja {
namespace {

const Filter* find(std::string_view name) {
  for (const FilterTable* table : {&text_filters(), &list_filters()})
    if (const auto found = table->find(name); found != table->end()) return &found->second;
  return nullptr;
}

}  // namespace

bool is_filter(std::string_view name) { return find(name) != nullptr; }

Value apply_filter(Machine& machine, std::string_view name, const Value& value, const Args& args) {
  const Filter* filter = find(name);
  ensure(filter, "the filter '", name, "' is not supported");
  machine.spend(1);
  return (*filter)(machine, value, args);
}

}  // namespace jogak::jinja
