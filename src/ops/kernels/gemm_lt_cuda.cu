#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "ops/kernels/cublas_lt.cuh"
#include "ops/kernels/cuda_library.h"
#include "ops/kernels/gemm_cuda.h"
#include "ops/kernels/quickest_cuda.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

constexpr size_t kWorkspace = size_t{32} << 20;

// One operand as column-major BLAS has it.
struct Side {
  bool transposed;
  int64_t rows, cols, lead, step;
};

struct Plan {
  static constexpr int kMost = 24;
  cublasLtMatmulDesc_t work = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  std::array<cublasLtMatmulHeuristicResult_t, kMost> kernels = {};  // proposed for it
  int found = 0, chosen = 0;
  int calls = 0;  // before the search
  bool searched = false;
};

cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return CUDA_R_64F;
    case DType::bf16: return CUDA_R_16BF;
    case DType::f16: return CUDA_R_16F;
    default: return CUDA_R_32F;
  }
}

uint32_t alignment_of(const void* p) {
  uint32_t out = 256;
  while (out > 1 && reinterpret_cast<uintptr_t>(p) % out != 0) out /= 2;
  return out;
}

uint32_t alignment_of(const LtProduct& p) {  // of what is written, and read on the way
  const uint32_t out = alignment_of(p.first.c);
  return p.onto ? std::min(out, alignment_of(p.onto)) : out;
}

cublasLtMatrixLayout_t layout_of(const Side& side, cudaDataType_t type, int64_t count) {
  cublasLtMatrixLayout_t out = nullptr;
  ok(lt().make_layout(&out, type, static_cast<uint64_t>(side.rows),
                      static_cast<uint64_t>(side.cols), side.lead),
     "layout");
  const auto batches = static_cast<int32_t>(count);
  ok(lt().set_layout(out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof(batches)), "layout");
  ok(lt().set_layout(out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &side.step,
                     sizeof(side.step)),
     "layout");
  return out;
}

template <class Value>
void set(cublasLtMatmulDesc_t work, cublasLtMatmulDescAttributes_t what, const Value& value) {
  ok(lt().set_product(work, what, &value, sizeof(value)), "product");
}

cublasLtEpilogue_t epilogue_of(const LtProduct& p) {
  if (p.gelu) return p.before_gelu ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_BIAS;
  return p.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

// What the library proposes. A kernel may cut a k that is long beside the result, as in
// gradients of weights, when it adds the parts in a step of its own: the order is fixed then.
void choose(Plan& plan, const Gemm& g, const uint32_t (&alignment)[3]) {
  const bool cut = g.k >= 8 * std::max(g.m, g.n);
  const uint32_t sums = any_order() ? CUBLASLT_REDUCTION_SCHEME_MASK
                        : cut       ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
                                    : CUBLASLT_REDUCTION_SCHEME_NONE;
  cublasLtMatmulPreference_t wish = nullptr;
  ok(lt().make_wish(&wish), "preference");
  const auto want = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) {
    ok(lt().set_wish(wish, what, &value, sizeof(value)), "preference");
  };
  want(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspace);
  want(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, sums);
  want(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment[0]);
  want(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment[1]);
  want(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment[2]);
  want(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment[2]);
  int count = 0;
  const cublasStatus_t status = lt().propose(lt().handle, plan.work, plan.a, plan.b, plan.c, plan.c,
                                             wish, Plan::kMost, plan.kernels.data(), &count);
  lt().drop_wish(wish);
  plan.found = status == CUBLAS_STATUS_SUCCESS ? count : 0;
}

Plan make_plan(const LtProduct& p, const Side& a, const Side& b, const Side& c) {
  const Gemm& g = p.first;
  const bool wide = g.dtype == DType::f64;
  Plan plan;
  ok(lt().make_product(&plan.work, wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                       wide ? CUDA_R_64F : CUDA_R_32F),
     "product");
  set(plan.work, CUBLASLT_MATMUL_DESC_TRANSA, a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(plan.work, CUBLASLT_MATMUL_DESC_TRANSB, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(plan.work, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(p));
  if (p.bias) set(plan.work, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  if (p.before_gelu) {
    set(plan.work, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.before_gelu);
    set(plan.work, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, g.c_row);
  }
  plan.a = layout_of(a, type_of(g.dtype), p.count);
  plan.b = layout_of(b, type_of(g.dtype), p.count);
  plan.c = layout_of(c, type_of(g.c_f32 ? DType::f32 : g.dtype), p.count);
  choose(plan, g, {alignment_of(g.b), alignment_of(g.a), alignment_of(p)});
  return plan;
}

}  // namespace

// Rows of C that do not lie at 16 bytes, as the scores of 50,257 words, no fast kernel writes: they
// are computed into rows that do, but for the last few columns, and copied.
static bool wants_even_rows(const LtProduct& p) {
  const Gemm& g = p.first;
  constexpr int64_t kMany = 1 << 20;  // numbers, below which a copy costs more than it saves
  return size_of(g.dtype) == 2 && !g.c_f32 && !g.accumulate && !p.gelu && !p.onto && p.count == 1 &&
         g.b_row == 1 && g.c_row % 8 != 0 && g.n >= 8 && g.m * g.n >= kMany;
}

// A block a row; words of 4 bytes where rows begin at such.
template <class Word>
__global__ void copy_rows_kernel(Word* to, const Word* from, int64_t to_row, int64_t from_row,
                                 int cols) {
  to += blockIdx.x * to_row, from += blockIdx.x * from_row;
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < cols; i += static_cast<int>(blockDim.x))
    to[i] = from[i];
}

static bool with_even_rows(OnCuda on, const LtProduct& p) {
  const Gemm& g = p.first;
  const int64_t row = g.n / 8 * 8;
  const Workspace rows(on, static_cast<size_t>(g.m * row) * size_of(g.dtype));
  LtProduct even = p, rest = p;
  even.first.c = rows.as<std::byte>(), even.first.c_row = even.first.n = row;
  if (!lt_product(on, even)) return false;
  const auto words = [&]<class Word>(int64_t size) {
    start(on, {.blocks = g.m}, copy_rows_kernel<Word>, static_cast<Word*>(g.c), rows.as<Word>(),
          g.c_row / size, row / size, static_cast<int>(row / size));
  };
  if (g.c_row % 2 == 0 && reinterpret_cast<uintptr_t>(g.c) % 4 == 0)
    words.template operator()<uint32_t>(2);
  else
    words.template operator()<uint16_t>(1);
  const auto behind = [&](const void* p, int64_t numbers) {
    return p ? static_cast<const std::byte*>(p) + numbers * static_cast<int64_t>(size_of(g.dtype))
             : nullptr;
  };
  rest.first.n = g.n - row;
  rest.first.b = behind(g.b, row * g.b_col), rest.bias = behind(p.bias, row);
  rest.first.c = const_cast<std::byte*>(behind(g.c, row));
  if (rest.first.n == 0 || lt_product(on, rest)) return true;
  fail<DeviceError>("cuda: cuBLASLt has no kernel for ", rest.first.n, " columns");
}

static cublasStatus_t multiply_by(OnCuda on, const LtProduct& p, const Plan& plan, int kernel,
                                  std::byte* workspace) {
  const Gemm& g = p.first;
  const float one = 1, beta = g.accumulate || p.onto ? 1.0f : 0.0f;
  const double wide_one = 1, wide_beta = beta;
  const bool wide = g.dtype == DType::f64;
  const void* const alpha_at = wide ? static_cast<const void*>(&wide_one) : &one;
  const void* const beta_at = wide ? static_cast<const void*>(&wide_beta) : &beta;
  return lt().multiply(lt().handle, plan.work, alpha_at, g.b, plan.a, g.a, plan.b, beta_at,
                       p.onto ? p.onto : g.c, plan.c, g.c, plan.c,
                       &plan.kernels[static_cast<size_t>(kernel)].algo, workspace, kWorkspace,
                       device_of(on).stream());
}

// A product that comes again and again, large enough, whose result is all of its rows and is
// written without being read: the library's first proposal is up to a quarter slower than its best.
static bool worth_a_search(OnCuda on, const LtProduct& p, Plan& plan) {
  constexpr int kOften = 3;       // steps are recorded the fourth time
  constexpr double kLarge = 5e8;  // operations: some us of an H200
  const Gemm& g = p.first;
  const double work =
      2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  if (plan.searched || plan.found < 2 || p.count > 1 || size_of(g.dtype) != 2 || g.c_f32 ||
      g.accumulate || g.c_row != g.n || work < kLarge || ++plan.calls < kOften || recording(on))
    return false;
  return plan.searched = true;
}

bool lt_product(OnCuda on, const LtProduct& p) {
  if (wants_even_rows(p)) return with_even_rows(on, p);
  const Gemm& g = p.first;
  const bool plain = (g.a_col == 1 || g.a_row == 1) && (g.b_col == 1 || g.b_row == 1);
  if (!plain || (p.gelu && g.c_row % 8 != 0)) return false;
  // Row-major [k, n] is column-major [n, k]: the library's first operand is our second.
  const bool b_rows = g.b_col == 1, a_rows = g.a_col == 1;
  const Side first{!b_rows, b_rows ? g.n : g.k, b_rows ? g.k : g.n,
                   std::max(b_rows ? g.b_row : g.b_col, b_rows ? g.n : g.k), p.b_step};
  const Side second{!a_rows, a_rows ? g.k : g.m, a_rows ? g.m : g.k,
                    std::max(a_rows ? g.a_row : g.a_col, a_rows ? g.k : g.m), p.a_step};
  const Side out{false, g.n, g.m, std::max(g.c_row, g.n), p.c_step};
  using Key =
      std::tuple<DType, bool, int64_t, int64_t, int64_t, bool, int64_t, int64_t, bool, int64_t,
                 int64_t, int64_t, int64_t, int64_t, int, uint32_t, uint32_t, uint32_t>;
  const Key key{g.dtype,
                g.c_f32,
                g.m,
                g.n,
                g.k,
                first.transposed,
                first.lead,
                first.step,
                second.transposed,
                second.lead,
                second.step,
                out.lead,
                out.step,
                p.count,
                epilogue_of(p) * 2 + (p.onto ? 1 : 0),
                alignment_of(g.a),
                alignment_of(g.b),
                alignment_of(p)};
  static std::map<Key, Plan> plans;
  static std::mutex mutex;
  static const Workspace* const workspace = new Workspace(on, kWorkspace);
  const std::scoped_lock lock(mutex);
  auto at = plans.find(key);
  if (at == plans.end()) at = plans.emplace(key, make_plan(p, first, second, out)).first;
  Plan& plan = at->second;
  if (plan.found == 0) return false;
  if (p.bias) set(plan.work, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  if (p.before_gelu) set(plan.work, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.before_gelu);
  const auto multiply = [&](int kernel) {
    return multiply_by(on, p, plan, kernel, workspace->as<std::byte>());
  };
  if (worth_a_search(on, p, plan)) {
    const int64_t numbers = g.m * g.c_row;
    const Written all[] = {{g.c, numbers}, {p.before_gelu, p.before_gelu ? numbers : 0}};
    const std::span<const Written> compared(all, any_order() ? 0 : std::size(all));
    plan.chosen = quickest_alike(
        on, plan.found, [&](int i) { return multiply(i) == CUBLAS_STATUS_SUCCESS; }, compared);
  }
  ok(multiply(plan.chosen), "product");
  return true;
}

}  // namespace jogak::cuda
