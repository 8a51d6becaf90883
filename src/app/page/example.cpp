#include "app/page/example.h"

#include "app/data/text_data.h"
#include "app/train/recipe.h"
#include "base/file.h"
#include "data/make/series.h"
#include "data/make/shapes.h"
#include "data/series_data.h"

namespace jogak {
namespace {

using Input = ModelOutline::Input;
using Wiring = ModelOutline::Wiring;

// One of the generated lines that training has not seen, "question = answer"; empty: unknown.
std::string held_out_line(const std::string& directory) {
  const std::string file = join_path(directory, "recipe.toml");
  if (!file_exists(file)) return {};
  try {
    const DataRecipe data = read_recipe(file).data;
    if (data.make != "dates" && data.make != "sort") return {};
    return generated_lines(data.make, 1, data.seed, true).at(0);
  } catch (const Error&) {
    return {};  // written by another version: any text will do
  }
}

// A character of the answer is left open, or a word of the text.
std::string with_mask(const std::string& directory, const std::string& line) {
  const std::string tokenizer = join_path(directory, "tokenizer.json");
  const bool bert = file_exists(tokenizer)
                        ? read_file(tokenizer).find("\"<mask>\"") == std::string::npos
                        : file_exists(join_path(directory, "vocab.txt"));
  const std::string mask = bert ? "[MASK]" : "<mask>";
  if (line.empty()) return "The cat " + mask + " on the mat.";
  std::string out = line;
  return out.replace(out.size() - 4, 1, mask);
}

std::string example_series(const std::string& directory, int64_t rows) {
  const std::string file = join_path(directory, "series.json");
  SeriesOptions options;
  std::vector<std::string> names;
  if (file_exists(file)) names = read_scaler(read_json_file(file), file).names;
  if (!names.empty()) options.series = static_cast<int64_t>(names.size());
  SeriesPanel panel = make_series(rows, 7, Split::held_out, options);
  if (!names.empty()) panel.names = names;
  std::string out;
  for (const std::string& line : series_csv(panel)) out += line + "\n";
  return out;
}

// A side for images and one for texts.
bool reads_texts_too(const std::string& directory) {
  const std::string file = join_path(directory, "config.json");
  const Json config = file_exists(file) ? read_json_file(file) : Json::object();
  return config.find("vision_config") && config.find("text_config");
}

int64_t window_rows(const std::string& directory) {
  const Json config = read_json_file(join_path(directory, "config.json"));
  const Json* const seen = config.find("context_length");
  const Json* const ahead = config.find("prediction_length");
  return 2 * (seen && seen->is_integer() ? seen->integer() : 64) +
         (ahead && ahead->is_integer() ? ahead->integer() : 24);
}

}  // namespace

ModelExample model_example(const std::string& directory, const ModelOutline& outline) {
  ModelExample out;
  if (outline.input == Input::image) {
    const ShapePicture picture = make_shape(2, 7, Split::held_out);
    out.image = encode_png(picture.image);
    if (model_task(directory, outline) == "match")
      out.text = picture.caption, out.labels = shape_captions();
    return out;
  }
  if (outline.input == Input::series) {
    out.csv = example_series(directory, window_rows(directory));
    return out;
  }
  const std::string line = held_out_line(directory), task = model_task(directory, outline);
  const size_t equals = line.find(" = ");
  const bool pair = equals != std::string::npos;
  if (task == "fill") {
    out.text = with_mask(directory, line);
  } else if (pair) {
    out.text = line.substr(0, equals) + (outline.wiring == Wiring::decoder ? " = " : "");
    if (task == "translate") out.target = line.substr(equals + 3);
  } else {
    out.text = line.empty() ? "The cat sat on the mat." : line;
  }
  return out;
}

std::string model_task(const std::string& directory, const ModelOutline& outline) {
  if (outline.wiring == Wiring::encoder_decoder) return "translate";
  if (outline.wiring == Wiring::decoder) return "generate";
  if (outline.input == Input::series) return "forecast";
  if (outline.input == Input::image && reads_texts_too(directory)) return "match";
  if (outline.outputs == 0) return "embed";
  if (outline.input == Input::tokens && outline.outputs == outline.vocab) return "fill";
  const std::string file = join_path(directory, "config.json");
  const Json config = file_exists(file) ? read_json_file(file) : Json::object();
  const Json* const kinds = config.find("architectures");
  const bool tags = kinds && kinds->dump().find("TokenClassification") != std::string::npos;
  return tags ? "tag" : "classify";
}

}  // namespace jogak
