// A small GPT learns to turn dates into their ISO form, is saved, opened again, and writes.
//   train_and_generate [DIRECTORY [STEPS]]
#include <jogak/app/measure/eval.h>
#include <jogak/app/train/train.h>
#include <jogak/app/use/generator.h>
#include <jogak/base/error.h>

#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char** argv) try {
  const std::string directory = argc > 1 ? argv[1] : "runs/example";

  jogak::TrainRequest request;
  request.out = directory;
  request.recipe.model.preset = "tiny";
  request.recipe.data.kind = "lines";  // "May 9th, 2031 = 2031-05-09"
  request.recipe.data.make = "dates";
  request.recipe.train.steps = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 2000;
  request.recipe.train.schedule.rate = 2e-3;
  const jogak::TrainSummary trained = jogak::run_training(request);
  std::cout << "step " << trained.step << ", validation loss " << trained.best_loss << "\n";

  // The directory is a Hugging Face directory: config.json, model.safetensors, tokenizer.json.
  const jogak::Generator generator(directory);
  for (const std::string prompt : {"May 9th, 2031 = ", "2031년 5월 9일 = "}) {
    jogak::GenerateOptions options;
    options.settings.temperature = 0;  // the likeliest text
    const jogak::Generated answer = generator.generate(prompt, options);
    std::cout << prompt << answer.text << "\n";
  }

  jogak::EvalOptions test;
  test.directory = directory;
  test.make = "dates";  // that training never held
  const auto found = std::get<jogak::TextEval>(jogak::evaluate(test));
  std::cout << found.exact->right << " of " << found.exact->lines << " dates are right\n";
} catch (const jogak::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
