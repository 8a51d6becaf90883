#include "server/desks.h"

namespace jogak::server {

std::shared_ptr<OpenDesk> Desks::at(const std::string& model,
                                    std::shared_ptr<const OpenModel> open) {
  std::shared_ptr<OpenDesk> old;  // goes after the lock
  const std::lock_guard lock(mutex_);
  std::shared_ptr<OpenDesk>& place = all_[model];
  if (place && place->open == open) return place;
  old = std::move(place);
  place = std::make_shared<OpenDesk>(std::move(open), limits);
  return place;
}

void Desks::drop(const OpenModel* closed) {
  std::shared_ptr<OpenDesk> old;  // goes after the lock
  const std::lock_guard lock(mutex_);
  for (auto& [name, one] : all_)
    if (one && one->open.get() == closed) old = std::move(one);
}

std::map<std::string, Desks::Load> Desks::load() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Load> out;
  for (const auto& [name, one] : all_)
    if (one) out[name] = {one->desk.requests(), one->desk.steps(), one->desk.model_seconds()};
  return out;
}

}  // namespace jogak::server
