#include "app/use/writing_desk.h"

#include <algorithm>
#include <list>
#include <utility>

#include "app/models/model.h"
#include "base/log.h"
#include "generate/batcher.h"
#include "text/tokenizer.h"

namespace jogak {

struct WritingDesk::Order {
  CompletionRequest asked;
  std::vector<GenerateRequest> texts;
  std::vector<int64_t> handles = {};
  std::exception_ptr wrong = {};  // with one of the texts

  bool left() const { return asked.options.stop_flag && asked.options.stop_flag->load(); }
};

namespace {

int64_t pages_of(const CacheShape& shape, size_t bytes) {
  return static_cast<int64_t>(bytes) / page_bytes(shape);
}

}  // namespace

// What the thread has before it.
struct WritingDesk::Bench {
  Batcher batcher;
  std::list<std::unique_ptr<Order>> orders = {};

  void take(std::unique_ptr<Order> order);
  // Whose client has left, leaves.
  void drop_left() {
    for (const auto& order : orders)
      if (order->left())
        for (const int64_t handle : order->handles) batcher.cancel(handle);
  }
  bool done(const Order& order) const {
    return std::all_of(order.handles.begin(), order.handles.end(),
                       [&](int64_t handle) { return batcher.done(handle); });
  }
  // Whose texts a step cancelled, they are told why.
  void blame(const std::exception_ptr& failure) {
    for (const auto& order : orders)
      for (const int64_t handle : order->handles)
        if (batcher.result(handle).finish_reason == FinishReason::cancelled && !order->wrong)
          order->wrong = failure;
  }
  void finish(Order& order);
};

void WritingDesk::Bench::take(std::unique_ptr<Order> order) {
  Order& o = *order;
  orders.push_back(std::move(order));
  for (size_t i = 0; i < o.texts.size(); ++i) {
    GenerateRequest& one = o.texts[i];
    if (o.asked.on_text && o.asked.max_new > 0)
      one.on_text = [this, &o, i](std::string_view piece) {
        o.asked.on_text(i, piece, batcher.result(o.handles[i]));
      };
    o.handles.push_back(batcher.add(std::move(one)));
  }
  o.texts.clear();
}

void WritingDesk::Bench::finish(Order& order) {
  std::vector<Generated> made;
  bool cancelled = order.handles.empty();  // refused
  for (const int64_t handle : order.handles) {
    made.push_back(batcher.take(handle));
    cancelled = cancelled || made.back().finish_reason == FinishReason::cancelled;
    if (order.asked.max_new > 0) continue;
    Generated& one = made.back();  // the one token that was written is not asked for
    one.ids.clear(), one.text.clear(), one.chances.clear();
    if (one.finish_reason != FinishReason::cancelled) one.finish_reason = FinishReason::length;
  }
  if (cancelled && (!order.wrong || order.left()))
    order.wrong = std::make_exception_ptr(Stopped("the client has left"));
  try {
    order.asked.on_done(std::move(made), order.wrong);
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

WritingDesk::WritingDesk(const Generator& generator, DeskLimits limits)
    : generator_(generator), limits_(std::move(limits)), thread_([this] { work(); }) {}

WritingDesk::~WritingDesk() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WritingDesk::hold_to_json(std::vector<GenerateRequest>& texts, const std::string& schema) {
  const auto rules = std::make_shared<JsonRules>(parse_json(schema, "response_format"));
  std::call_once(table_made_, [&] { table_ = token_table(generator_); });
  for (GenerateRequest& one : texts) {
    const JsonGuideParts parts{table_, rules, one.eos_ids};
    one.guide = [parts] { return json_guide(parts); };
  }
}

bool WritingDesk::add(CompletionRequest request) {
  auto order = std::make_unique<Order>();
  order->texts = requests_of(generator_, request);
  if (!request.json_schema.empty()) hold_to_json(order->texts, request.json_schema);
  order->asked = std::move(request);
  {
    const std::lock_guard lock(mutex_);
    if (open_.load() >= limits_.queue + static_cast<size_t>(limits_.sequences)) return false;
    ++open_;
    inbox_.push_back(std::move(order));
  }
  changed_.notify_one();
  return true;
}

void WritingDesk::make_ready() {
  {
    const std::lock_guard lock(mutex_);
    making_ready_ = true;
  }
  changed_.notify_one();
  ready_.wait(false);
}

// By the desk's thread, which alone touches pages. Where they cannot be had now, they are taken
// when they are needed.
void WritingDesk::make_pages(Bench& bench) {
  const CacheShape& shape = generator_.model().causal.cache;
  const int64_t tokens = std::min(shape.context, limits_.ready_tokens);
  const int64_t pages = limits_.sequences * ((tokens + kPageTokens - 1) / kPageTokens);
  try {
    bench.batcher.make_pages(std::min(pages, pages_of(shape, limits_.ready_bytes)));
  } catch (const Error& error) {
    log_warning(error.what());
  }
  ready_ = true;
  ready_.notify_all();
}

// Waits where there is nothing else to do. False: it is over.
bool WritingDesk::take_new(Bench& bench) {
  std::deque<std::unique_ptr<Order>> fresh;
  bool making_ready;
  {
    std::unique_lock lock(mutex_);
    if (bench.orders.empty())
      changed_.wait(lock, [&] { return ending_ || making_ready_ || !inbox_.empty(); });
    fresh.swap(inbox_);
    making_ready = std::exchange(making_ready_, false);
  }
  if (making_ready) {
    make_pages(bench);
    if (fresh.empty() && bench.orders.empty()) return take_new(bench);
  }
  if (fresh.empty()) return !bench.orders.empty();
  for (std::unique_ptr<Order>& order : fresh) {
    try {
      bench.take(std::move(order));
    } catch (...) {  // a prompt that the batcher refuses
      Order& refused = *bench.orders.back();
      for (const int64_t handle : refused.handles) bench.batcher.cancel(handle);
      refused.wrong = std::current_exception();
      bench.finish(refused);
      bench.orders.pop_back();
      --open_;
    }
  }
  return true;
}

void WritingDesk::work() {
  const CausalModel& model = generator_.model().causal;
  Bench bench{{model,
               &generator_.tokenizer(),
               {.sequences = limits_.sequences,
                .rows = limits_.rows,
                .kept_pages = pages_of(model.cache, limits_.kept_bytes)}}};
  while (take_new(bench)) {
    bench.drop_left();
    try {
      bench.batcher.step();
    } catch (...) {
      bench.blame(std::current_exception());
    }
    ++steps_;
    model_seconds_ = bench.batcher.model_seconds();
    std::erase_if(bench.orders, [&](const std::unique_ptr<Order>& order) {
      if (!bench.done(*order)) return false;
      bench.finish(*order);
      --open_;
      return true;
    });
  }
}

}  // namespace jogak
