// A model's matrices rounded by what they read on the user's data (rounding.h). Each is kept in a
// file until the model is written: they may be more than memory holds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/tools/quantize_plan.h"
#include "app/tools/rounding.h"
#include "base/lang.h"

namespace jogak {

// The rounded matrices of a model, in a folder that goes with it.
class RoundedFiles {
 public:
  explicit RoundedFiles(std::string folder);
  ~RoundedFiles();
  RoundedFiles(const RoundedFiles&) = delete;
  RoundedFiles& operator=(const RoundedFiles&) = delete;

  void keep(const std::string& name, const RoundedMatrix& rounded);
  bool has(const QuantizedPlan& plan) const;  // rounded to that many bits, in such groups
  QuantizedMatrix get(const QuantizedPlan& plan) const;
  double error(const std::string& name) const { return kept_.at(name).error; }
  double nearest(const std::string& name) const { return kept_.at(name).nearest; }

 private:
  struct Kept {
    std::string file;
    int bits;
    int64_t group;
    double error, nearest;
  };
  std::string folder_;
  std::map<std::string, Kept> kept_;
};

struct RoundingData {
  std::string directory, data;  // of the model; what it reads
  Lang lang = Lang::en;
};

// Every matrix that the model reads with on the data, tables aside. The model passes over the
// first of the data once for every half gigabyte of moments.
void round_on_data(const Model& model, const ModelFiles& files, const QuantizeMatrices& matrices,
                   const RoundingData& from, RoundedFiles& out);

// The names in the file of what a weight is made of, if all of them are to be rounded.
std::vector<std::string> rounded_parts(const Model& model, const Param& p,
                                       const QuantizeMatrices& matrices);

// A matrix of the plan as the product reads it, [out, in].
Tensor planned_matrix(const ModelFiles& files, const QuantizeMatrix& one);

}  // namespace jogak
