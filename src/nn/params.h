// One store holds every weight of a model by name. A module asks for a name, a shape and a start
// value, once; the store answers from a file or makes the start value. Counting, saving and
// optimizing walk the store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/model_files.h"
#include "nn/lora.h"
#include "nn/names.h"
#include "nn/split.h"
#include "tensor/tensor.h"

namespace jogak {

struct Init {  // what a fresh weight starts from
  double mean = 0, deviation = 0;
};
inline Init normal(double deviation) { return {0, deviation}; }
inline Init constant(double value) { return {value, 0}; }
Init xavier(int64_t in, int64_t out);  // keeps the size of values forward and of gradients backward

struct ParamPart {  // some rows of a joined weight, as the file names them
  std::string name;
  int64_t rows = 0;
};

// A file that has the rows of a weight in another order: block i here, `rows` rows high, is block
// order[i] there.
struct RowBlocks {
  int64_t rows = 0;
  std::vector<int64_t> order = {};
};

// What reads a weight, and so whether it may be kept in fewer bits.
enum class WeightKind {
  plain,   // anything
  matrix,  // linear() alone
  table,   // a row for each word or place: look_up(), or linear() that scores words
};

struct Param {
  std::string name;                   // ours: "h.0.attn.c_attn.weight"
  Tensor value;                       // a leaf when trained; modules hold the same storage
  bool trained = true;                // false for buffers, such as BatchNorm's running statistics
  std::vector<ParamPart> parts = {};  // of a joined weight, in order; the file has each by itself
  RowBlocks blocks = {};              // empty: rows are in the order of the file
  std::vector<int64_t> sections =
      {};                // rows of each thing that lies in it, where a file has several
  bool partial = false;  // some columns of the file's: products are parts of a sum
  bool frozen = false;   // stays as opened while adapters learn: not kept with them
  Tensor copy = {};      // WeightUse::mixed: value in bf16, the leaf of modules
  WeightKind kind = WeightKind::plain;

  const Tensor& leaf() const { return copy.defined() ? copy : value; }
};

// What weights are opened for, and so in which type they are kept.
enum class WeightUse {
  trained,    // memory of their own, in the store's type
  mixed,      // trained in f32, while modules compute with a copy of each in bf16
  as_stored,  // read only: matrices stay in bf16 or small integers where the file has them so
  f32,        // read only, all in the store's type
  bf16,       // read only, matrices in bf16: rounded where the file has more
};

class ParamStore {
 public:
  // Fresh weights: each depends on the seed and its own name alone.
  static ParamStore fresh(uint64_t seed, DType dtype = DType::f32, Device& device = cpu_device(),
                          NameMap names = {});
  // Weights from a model directory. After the modules are built, finish() must be called.
  // The files must stay open until then.
  static ParamStore from_files(const ModelFiles& files, NameMap names, DType dtype = DType::f32,
                               Device& device = cpu_device());

  // Call before the modules are built. What is only read is no leaf, and stays in the mapped file
  // where type and layout allow.
  void open_for(WeightUse use) { use_ = use; }
  // Call before the modules are built: to how many bits products round what meets matrices in small
  // integers, 16 or 8. What meets a table, as a head that is tied to one does, has 16.
  void round_values(int bits) { value_bits_ = bits; }
  // Call before the modules are built, of weights that are only read: of a matrix or a bias that
  // the model wants smaller by the number of processes, this one's slice is opened.
  void divide(std::shared_ptr<const LayerSplit> split) { split_ = std::move(split); }
  const LayerSplit* split() const { return split_.get(); }
  // Call before the modules are built: every weight stays as it is, and layers gain adapters.
  void adapt(const LoraConfig& config);
  const LoraConfig& lora() const { return lora_; }
  // What the adapters learnt becomes part of the weights, and they leave the store. Beside packed
  // weights they stay where they are, and learn no more.
  void merge_adapters();
  bool is_adapter(const Param& p) const;  // a factor of one

  // One error that lists every missing, unused and misshapen tensor.
  void finish() const;

  Device& device() const { return *device_; }
  DType values() const { return use_ == WeightUse::mixed ? DType::bf16 : dtype_; }  // of modules
  const std::vector<Param>& all() const { return params_; }
  std::vector<Tensor> trained() const;  // leaves, in order
  int64_t count() const;                // trained elements
  const Param* find(std::string_view name) const;
  // Names, as a file has them, of weights that are this one again: a head tied to its table.
  std::vector<std::string> tied_to(const Param& p) const;
  // As the file it came from calls it: with the prefix or without; with it when fresh.
  std::string file_name(const std::string& name) const;
  // A value of p's shape (the weight, its gradient) in the layout of the file, and named as the
  // file it came from does, or as one we write: with the prefix.
  NamedTensors in_file_layout(const Param& p, const Tensor& value, bool as_opened = true) const;

  // A value that lies as the file has it, in our order of rows.
  static Tensor from_file_layout(const Param& p, const Tensor& value);

  // Copies values into the store (same shapes), one for every parameter; an undefined one leaves
  // what is there.
  void assign(const std::function<Tensor(const Param&)>& value_of);

 private:
  friend class Params;
  Tensor make(Param param, const Shape& shape, Init init);
  DType matrix_type(const Param& param) const;
  // A matrix in small integers, if all of its parts are so in the file and it may stay so.
  Tensor load_packed(const Param& param, const Shape& shape);
  Tensor fresh(const Param& param, const Tensor& value) const;  // in tiles where they are asked for
  Tensor file_values(const std::string& source) const;  // in f32, if they are small integers
  Tensor keep(Param param);
  Tensor keep_trained(Param param);
  Tensor make_factor(Param param, const Shape& shape, Init init);
  Tensor start_value(const std::string& name, const Shape& shape, Init init, DType dtype) const;
  std::string in_file(const std::string& name) const;  // empty when the file lacks it
  // As the file calls a tensor of this shape; empty, and noted as wrong, when there is none.
  std::string matching(const std::string& name, const Shape& shape);
  Tensor placeholder(const Shape& shape, DType dtype);  // for what is wrong, while it is small
  [[noreturn]] void refuse(const std::vector<std::string>& offenders, const char* more = "") const;
  // What the file has where the model wants `shape`, this process's slice of it (params_split.cpp).
  Shape shape_there(const Shape& shape, const Shape& there) const;
  bool wants_columns(const Param& param, const Shape& shape) const;
  Tensor slice_of(const Tensor& there, const Shape& shape, const std::vector<int64_t>& sections);
  Tensor load(const std::string& name, const Shape& shape, DType dtype,
              const std::vector<int64_t>& sections = {});
  Tensor load_whole(const Param& param, const Shape& shape, DType dtype);

  std::vector<Param> params_;
  DType dtype_ = DType::f32;
  WeightUse use_ = WeightUse::trained;
  Device* device_ = nullptr;
  uint64_t seed_ = 0;
  int value_bits_ = 16;
  const ModelFiles* files_ = nullptr;
  NameMap names_;
  bool prefixed_ = true;  // the opened file uses the prefix
  std::vector<std::string> used_, wrong_;
  double placeholder_bytes_ = 0;
  std::vector<std::pair<std::string, Tensor>> tied_;  // ours, and what it is
  LoraConfig lora_;
  std::shared_ptr<const LayerSplit> split_;
  std::vector<std::pair<Tensor, std::shared_ptr<Lora>>> adapters_;  // with the weights they join
  std::map<std::string, std::string> respelled_;  // ours -> as the opened file has it
};

// A path into a store. Cheap to copy: p / "h" / "0" names what is below.
class Params {
 public:
  explicit Params(ParamStore& store) : store_(&store) {}
  Params operator/(std::string_view name) const;
  // Layers the file keeps apart and we hold as one, rows upon rows: one product instead of three.
  //   (p / "self_attn").join({{"q_proj", C}, {"k_proj", C}, {"v_proj", C}}) holds "weight" [3C, C]
  Params join(std::vector<ParamPart> parts) const;
  // A layer whose rows the file has in another order, in its weight and its bias.
  Params reorder(RowBlocks blocks) const;
  // A layer of several things, one behind the other, that the file has as one: so many rows each.
  Params sections(std::vector<int64_t> rows) const;

  std::string where() const;  // "h.0.attn"; of joined layers "self_attn.q_proj+k_proj+v_proj"

  Tensor get(std::string_view name, const Shape& shape, Init init) const;  // trained
  // What linear() or look_up() reads: the only kinds that may be kept in fewer bits.
  Tensor matrix(std::string_view name, const Shape& shape, Init init) const;
  Tensor table(std::string_view name, const Shape& shape, Init init) const;
  // The adapters of the layer with this weight [out, in]; null when it has none.
  std::shared_ptr<const Lora> lora(const Tensor& weight) const;
  // Over which processes products with this weight are to be added; null: they are whole.
  std::shared_ptr<const LayerSplit> partial(const Tensor& weight) const;
  // Not trained; fresh it is `start`, whose element type it keeps whatever the model's.
  Tensor buffer(std::string_view name, const Tensor& start) const;
  // The same, with the start value computed only where it is needed.
  Tensor buffer(std::string_view name, const Shape& shape, DType dtype,
                const std::function<Tensor()>& start) const;
  // The same, but a file may lack it: then it is `start` there, too.
  Tensor optional_buffer(std::string_view name, const Tensor& start) const;
  // Whether the opened file has it, by itself or as the first of joined parts; false when fresh.
  bool in_file(std::string_view name) const;
  // Whether the opened file has it with other values than these: a tie that does not hold.
  bool differs_in_file(std::string_view name, const Tensor& values) const;
  bool fresh() const { return store_->files_ == nullptr; }
  DType values() const { return store_->values(); }  // what modules compute with

 private:
  Param named(std::string_view name, WeightKind kind = WeightKind::plain) const;
  ParamStore* store_;
  std::string path_;               // with its dot: "h.0."
  std::vector<ParamPart> joined_;  // names below path_
  RowBlocks blocks_;
  std::vector<int64_t> sections_;
};

// Every weight as a file we write has it.
NamedTensors to_file(const ParamStore& store);

}  // namespace jogak
