#include "ops/kernels/attention_cudnn.h"

#include <cudnn_frontend.h>

#include <cstring>
#include <map>
#include <mutex>

#include "base/shared_library.h"
#include "ops/kernels/cuda_library.h"
#include "tensor/cuda_device.h"

void* cudnn_frontend::cudnn_dlhandle = nullptr;  // the frontend calls cuDNN through it

namespace jogak::cuda {
namespace {

namespace fe = cudnn_frontend;
using fe::graph::Graph;
using Attributes = fe::graph::Tensor_attributes;

constexpr int64_t kShortest = 256;      // rows of queries
constexpr int64_t kManyRows = 1 << 13;  // of all texts, where nothing learns

cudnnHandle_t open_cudnn() {
  try {
    static const SharedLibrary library("cuDNN", {"libcudnn.so.9", "libcudnn.so"});
    fe::cudnn_dlhandle = library.handle();
    cudnnHandle_t handle = nullptr;
    return fe::detail::create_handle(&handle) == CUDNN_STATUS_SUCCESS ? handle : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

cudnnHandle_t cudnn() {
  static const cudnnHandle_t handle = open_cudnn();  // lives as long as the program
  return handle;
}

bool fits(const AttentionArgs& g) {
  const bool plain = !g.key_mask && !g.bias.data && !g.distances.data && g.dropout == 0 &&
                     !g.weights && g.window == 0 && g.cap == 0;
  const bool worth = g.lse ? g.queries >= kShortest : g.batches * g.queries >= kManyRows;
  return plain && worth && (g.dtype == DType::bf16 || g.dtype == DType::f16) &&
         (g.width == 64 || g.width == 128) && g.value_width == g.width && g.queries == g.keys &&
         g.batches > 0 && cudnn() != nullptr;
}

enum Place : int64_t { kQ = 1, kK, kV, kOut, kLse, kDOut, kDq, kDk, kDv };

struct Plan {
  std::shared_ptr<Graph> graph;  // null: cuDNN does not take it
  int64_t workspace = 0;
};

// Describes the tensors of a call to a graph.
struct Writer {
  Graph& graph;
  const AttentionArgs& g;

  std::vector<int64_t> sizes(int64_t heads) const { return {g.batches, heads, g.queries, g.width}; }
  static std::vector<int64_t> steps(const HeadsView& x) { return {x.batch, x.head, x.time, 1}; }

  std::shared_ptr<Attributes> in(Place place, const HeadsView& x, int64_t heads) const {
    return graph.tensor(Attributes().set_uid(place).set_dim(sizes(heads)).set_stride(steps(x)));
  }
  void out(const std::shared_ptr<Attributes>& t, Place place, const HeadsView& x,
           int64_t heads) const {
    t->set_output(true).set_uid(place).set_dim(sizes(heads)).set_stride(steps(x));
  }
  void shape_lse(Attributes& t) const {
    t.set_uid(kLse)
        .set_dim({g.batches, g.heads, g.queries, 1})
        .set_stride({g.heads * g.queries, g.queries, 1, 1})
        .set_data_type(fe::DataType_t::FLOAT);
  }
};

void forward(Graph& graph, const AttentionArgs& g) {
  const Writer w{graph, g};
  auto options = fe::graph::SDPA_attributes()
                     .set_generate_stats(g.lse != nullptr)
                     .set_attn_scale(static_cast<float>(g.scale))
                     .set_causal_mask(g.causal);
  const auto [out, lse] = graph.sdpa(w.in(kQ, g.q, g.heads), w.in(kK, g.k, g.kv_heads),
                                     w.in(kV, g.v, g.kv_heads), options);
  w.out(out, kOut, g.out, g.heads);
  if (!g.lse) return;
  lse->set_output(true);
  w.shape_lse(*lse);
}

void backward(Graph& graph, const AttentionBackwardArgs& g) {
  const Writer w{graph, g};
  Attributes lse;
  w.shape_lse(lse);
  auto options = fe::graph::SDPA_backward_attributes()
                     .set_attn_scale(static_cast<float>(g.scale))
                     .set_causal_mask(g.causal)
                     .set_deterministic_algorithm(!any_order());
  const auto [dq, dk, dv] = graph.sdpa_backward(
      w.in(kQ, g.q, g.heads), w.in(kK, g.k, g.kv_heads), w.in(kV, g.v, g.kv_heads),
      w.in(kOut, g.out, g.heads), w.in(kDOut, g.d_out, g.heads), graph.tensor(lse), options);
  w.out(dq, kDq, g.dq, g.heads);
  w.out(dk, kDk, g.dk, g.kv_heads);
  w.out(dv, kDv, g.dv, g.kv_heads);
}

template <class Args, class Write>
Plan make_plan(const Args& g, Write write) {
  Plan plan;
  try {
    auto graph = std::make_shared<Graph>();
    graph
        ->set_io_data_type(g.dtype == DType::bf16 ? fe::DataType_t::BFLOAT16 : fe::DataType_t::HALF)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    write(*graph, g);
    if (graph->build(cudnn(), {fe::HeurMode_t::A}).is_good() &&
        graph->get_workspace_size(plan.workspace).is_good())
      plan.graph = std::move(graph);
  } catch (const std::exception&) {  // of the frontend: what it cannot open or describe
    plan.graph = nullptr;
  }
  return plan;
}

using Key = std::vector<int64_t>;

Key key_of(const AttentionArgs& g, std::initializer_list<HeadsView> heads) {
  Key key = {static_cast<int64_t>(g.dtype),
             g.batches,
             g.queries,
             g.heads,
             g.kv_heads,
             g.width,
             g.causal,
             g.lse != nullptr};
  int64_t scale = 0;
  std::memcpy(&scale, &g.scale, sizeof(scale));
  key.push_back(scale);
  for (const HeadsView& x : heads) key.insert(key.end(), {x.batch, x.time, x.head});
  return key;
}

template <class Args, class Write>
const Plan& planned(const Args& g, Key key, Write write) {
  static std::map<Key, Plan> plans;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  auto at = plans.find(key);
  if (at == plans.end()) at = plans.emplace(std::move(key), make_plan(g, write)).first;
  return at->second;
}

void execute(OnCuda on, const Plan& plan, std::unordered_map<int64_t, void*> arrays) {
  const Workspace memory(on, static_cast<size_t>(plan.workspace));
  fe::detail::set_stream(cudnn(), device_of(on).stream());
  auto result = plan.graph->execute(cudnn(), arrays, memory.as<std::byte>());
  ensure<DeviceError>(result.is_good(), "cuda: cuDNN: ", result.get_message());
}

}  // namespace

bool found_cudnn() { return cudnn() != nullptr; }

bool cudnn_attention(OnCuda on, const AttentionArgs& g) {
  if (!fits(g)) return false;
  const Plan& plan = planned(g, key_of(g, {g.q, g.k, g.v, g.out}), forward);
  if (!plan.graph) return false;
  std::unordered_map<int64_t, void*> arrays = {
      {kQ, g.q.data}, {kK, g.k.data}, {kV, g.v.data}, {kOut, g.out.data}};
  if (g.lse) arrays[kLse] = g.lse;
  execute(on, plan, std::move(arrays));
  return true;
}

bool cudnn_attention_backward(OnCuda on, const AttentionBackwardArgs& g) {
  if (!fits(g)) return false;
  const Plan& plan =
      planned(g, key_of(g, {g.q, g.k, g.v, g.out, g.d_out, g.dq, g.dk, g.dv}), backward);
  if (!plan.graph) return false;
  execute(on, plan,
          {{kQ, g.q.data},
           {kK, g.k.data},
           {kV, g.v.data},
           {kOut, g.out.data},
           {kDOut, g.d_out.data},
           {kLse, g.lse},
           {kDq, g.dq.data},
           {kDk, g.dk.data},
           {kDv, g.dv.data}});
  return true;
}

}  // namespace jogak::cuda
