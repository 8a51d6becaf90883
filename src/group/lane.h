// What goes between this process and one other in one exchange: over a socket, or, where one may
// read the other's memory, from there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "group/neighbour.h"

namespace jogak {

class Lane {
 public:
  struct Other {  // process
    int fd = -1;
    pid_t pid = 0;
    bool is_read = false, reads_here = false;  // by this one, and this one by it
    std::string name = {};
  };
  Lane(const Other& other, uint64_t exchange) : other_(other) { sent_.exchange = exchange; }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void send(std::span<const std::byte> bytes);
  void receive(std::span<std::byte> bytes);
  void start();  // when everything was given

  bool move();           // what can be moved at once; false: the connection is broken
  short events() const;  // of the socket that it waits for; 0: none
  bool reading() const { return expects_ == Expects::memory; }  // and waits for nobody

 private:
  // A head, and then the bytes or, where the other reads them, a list of where they are; the other
  // says when it has them.
  struct Head {
    uint64_t exchange, bytes, pieces;
  };

  bool push();
  bool pull();
  bool arrived();  // what was expected until now
  void check_head();
  void begin_reading();
  bool read();

  const Other& other_;
  Head sent_{}, found_{};
  std::vector<std::span<const std::byte>> given_, out_;
  std::vector<std::span<std::byte>> wanted_, in_;
  size_t out_at_ = 0, in_at_ = 0;
  uint64_t wanted_bytes_ = 0, answer_ = 0;
  std::vector<MemoryPiece> own_pieces_;
  Reading left_;  // of the other's memory
  enum class Expects { head, list, memory, bytes, answer, nothing } expects_ = Expects::head;
};

}  // namespace jogak
