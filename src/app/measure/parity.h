// `jogak info DIR --parity FILE`: a certificate that somebody else can check. It holds the SHA-256
// of every file of the model, inputs, what this program makes of them, and how its tokenizer cuts a
// few texts; scripts/replay-parity.py computes the same with transformers and compares.
#pragma once

#include <string>
#include <vector>

#include "app/models/model.h"
#include "io/safetensors.h"

namespace jogak {

// Inputs of the right shapes for any family, always the same for the same configuration: texts with
// padding, labels of which some do not count.
NamedTensors parity_inputs(const Model& model);

// The same, as a file that `jogak forward --input` reads.
void write_example(const std::string& directory, const std::string& file);

struct ParityCertificate {
  struct File {
    std::string name;
    int64_t bytes = 0;
    std::string sha256;
    bool operator==(const File&) const = default;
  };
  struct Tokens {
    std::string text;
    std::vector<int> ids;
  };
  std::string model_type, isa;
  std::vector<File> files = {};
  std::vector<Tokens> tokens = {};
  NamedTensors inputs = {}, outputs = {};
};
ParityCertificate parity_certificate(const std::string& directory);

// {"schema","what","jogak","isa","model_type","replay","tolerance","files":[{"name","bytes",
// "sha256"}],"inputs":{name:{"dtype","shape","data"}},"outputs":{..},"tokens":[{"text","ids"}]};
// data is one string of numbers with spaces between, each with the digits it needs.
Json to_json(const ParityCertificate& certificate);

}  // namespace jogak
