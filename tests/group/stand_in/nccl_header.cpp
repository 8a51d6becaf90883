// Our declarations of NCCL's functions against its own header; compiling it is the test.
#include <nccl.h>

#include <cstddef>
#include <type_traits>

#include "group/nccl.h"

namespace jogak {
namespace {

static_assert(sizeof(Nccl::Id) == sizeof(ncclUniqueId) && NCCL_UNIQUE_ID_BYTES == 128);
static_assert(static_cast<int>(Nccl::success) == static_cast<int>(ncclSuccess));
static_assert(static_cast<int>(Nccl::in_progress) == static_cast<int>(ncclInProgress));
static_assert(static_cast<int>(Nccl::int8) == static_cast<int>(ncclInt8));
static_assert(sizeof(Nccl::Result) == sizeof(ncclResult_t));
static_assert(offsetof(Nccl::Config, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(Nccl::Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(Nccl::Config, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(Nccl::Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(Nccl::Config, not_there_in_2_14) == offsetof(ncclConfig_t, cgaClusterSize));
static_assert(NCCL_CONFIG_UNDEF_INT == INT_MIN);

// The same number of parameters, each as large and passed in the same way.
template <class Ours, class Theirs>
constexpr bool alike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> ==
                                          std::is_pointer_v<Theirs>&& std::is_class_v<Ours> ==
                                          std::is_class_v<Theirs>;
template <class Ours, class Theirs>
constexpr bool same_call = false;
template <class... Ours, class... Theirs, class R, class S>
constexpr bool same_call<R (*)(Ours...), S (*)(Theirs...)> = [] {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return alike<R, S> && (alike<Ours, Theirs> && ...);
  else
    return false;
}();

static_assert(same_call<decltype(Nccl::version), decltype(&ncclGetVersion)>);
static_assert(same_call<decltype(Nccl::new_id), decltype(&ncclGetUniqueId)>);
static_assert(same_call<decltype(Nccl::init), decltype(&ncclCommInitRankConfig)>);
static_assert(same_call<decltype(Nccl::state), decltype(&ncclCommGetAsyncError)>);
static_assert(same_call<decltype(Nccl::begin), decltype(&ncclGroupStart)>);
static_assert(same_call<decltype(Nccl::end), decltype(&ncclGroupEnd)>);
static_assert(same_call<decltype(Nccl::send), decltype(&ncclSend)>);
static_assert(same_call<decltype(Nccl::receive), decltype(&ncclRecv)>);
static_assert(same_call<decltype(Nccl::finalize), decltype(&ncclCommFinalize)>);
static_assert(same_call<decltype(Nccl::destroy), decltype(&ncclCommDestroy)>);
static_assert(same_call<decltype(Nccl::abort), decltype(&ncclCommAbort)>);
static_assert(same_call<decltype(Nccl::words), decltype(&ncclGetErrorString)>);
static_assert(same_call<decltype(Nccl::last_words), decltype(&ncclGetLastError)>);

}  // namespace
}  // namespace jogak
