// A language model that many write with at once: one thread takes what everybody asks for into one
// Batcher, between two of its steps, and hands every text to its client as it comes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "app/use/completion.h"

namespace jogak {

struct DeskLimits {
  int sequences = 32;             // texts written at once
  int64_t rows = 128;             // tokens of a step: how long others wait for a long prompt
  size_t queue = 256;             // requests beside those that are being written
  size_t kept_bytes = 256 << 20;  // of keys and values of finished texts
  // What make_ready takes for keys and values: of so many tokens of each text, within so much.
  int64_t ready_tokens = 256;
  size_t ready_bytes = 512 << 20;
};

class WritingDesk {
 public:
  // The generator stays where it is for as long as the desk stands.
  WritingDesk(const Generator& generator, DeskLimits limits);
  ~WritingDesk();  // what was taken is finished first
  WritingDesk(const WritingDesk&) = delete;
  WritingDesk& operator=(const WritingDesk&) = delete;

  // From any thread. The request's functions are called by the desk's, and nothing they throw
  // concerns anybody else. False when as many as allowed wait already. UsageError as requests_of.
  bool add(CompletionRequest request);

  // Takes the memory that texts will need, so that nobody who asks waits while the system gives it,
  // and returns when it is there.
  void make_ready();

  size_t requests() const { return open_.load(); }  // taken and not yet done
  int64_t steps() const { return steps_.load(); }
  double model_seconds() const { return model_seconds_.load(); }  // that they took

 private:
  struct Order;
  struct Bench;
  void hold_to_json(std::vector<GenerateRequest>& texts, const std::string& schema);
  bool take_new(Bench& bench);
  void make_pages(Bench& bench);
  void work();

  const Generator& generator_;
  const DeskLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Order>> inbox_;
  bool ending_ = false, making_ready_ = false;
  std::atomic<bool> ready_{false};
  std::once_flag table_made_;
  std::shared_ptr<const TokenBytes> table_;
  std::atomic<size_t> open_{0};
  std::atomic<int64_t> steps_{0};
  std::atomic<double> model_seconds_{0};
  std::thread thread_;  // last: it uses the rest
};

}  // namespace jogak
