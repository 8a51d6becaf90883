#include "app/models/cache_type.h"

#include <utility>

#include "models/model.h"

namespace jogak {
namespace {

constexpr std::pair<const char*, CacheType> kCacheTypes[] = {
    {"f32", CacheType::f32}, {"bf16", CacheType::bf16}, {"q8", CacheType::q8}};

CacheType& chosen_type() {
  static CacheType type = CacheType::f32;
  return type;
}

}  // namespace

void use_cache_type(const std::string& name) {
  for (const auto& [known, type] : kCacheTypes) {
    if (name != known) continue;
    chosen_type() = type;
    return;
  }
  fail<UsageError>("--cache-type: found ", name, ", wanted f32, bf16 or q8");
}

void set_cache_type(Model& model) { set_cache_type(model, chosen_type()); }

void set_cache_type(Model& model, CacheType type) {
  for (CacheShape* shape :
       {&model.causal.cache, &model.seq2seq.sources, &model.seq2seq.decoder.cache}) {
    if (shape->layers == 0) continue;  // a model of another kind
    ensure<UsageError>(type == CacheType::f32 || !shape->states,
                       "--cache-type: a recurrent model keeps its states in f32");
    ensure<UsageError>(type != CacheType::q8 || shape->device->kind() == Device::Kind::cpu,
                       "--cache-type: on a GPU keys and values are kept in f32 or bf16, found q8");
    shape->type = type;
  }
}

}  // namespace jogak
