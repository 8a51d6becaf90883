// What a disk may hold after a power cut. Bytes written and names given last for certain once
// their file or directory was synced; until then each may be there or not, whatever came later.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/train/syscall_trace.h"

namespace jogak::test {

struct DiskImage {
  std::map<std::string, std::string> files;  // content by path below the root
  std::vector<std::string> directories;

  std::string key() const;  // the same for the same content
  void write(const std::string& root) const;
};

class DiskModel {
 public:
  // Begins with what lies under `content`, all of it lasting; calls name it `root`.
  DiskModel(const std::string& content, const std::string& root);

  void apply(const DiskCall& call);  // calls that name other places are passed over

  // Variant 0: nothing that was not synced is there. 1: all names are, but no such byte. 2: all
  // is there. 3: some of the names, and files cut at some block of 512 bytes or full of zeros.
  DiskImage after_power_cut(int variant, Rng& rng) const;

 private:
  // Of a directory's names, at once: what each stands for now; -1: nothing.
  using Change = std::vector<std::pair<std::string, int>>;
  struct Node {
    bool directory = false;
    std::string bytes;                                // of a file
    size_t lasting = 0;                               // so many of them are on disk for certain
    std::map<std::string, int> names, lasting_names;  // of a directory
    std::vector<Change> changes;                      // since its names were made to last
  };
  struct Place {
    int directory = -1;
    std::string name;
  };

  int load(const std::string& path);
  int find(const std::string& path) const;  // -1: none, or not below the root
  Place place(const std::string& path) const;
  static void apply_to(std::map<std::string, int>& names, const Change& change);
  void change(int directory, const Change& change);
  void collect(const std::string& path, int node, int variant, Rng& rng, DiskImage& image) const;

  std::string root_;
  std::vector<Node> nodes_;
};

}  // namespace jogak::test
