#include "app/models/outline.h"

#include <gtest/gtest.h>

#include "app/models/model.h"
#include "app/show/explain.h"
#include "base/file.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::string directory_of(const Family& family) {
  static const TempDir folder;
  const std::string directory = folder / family.name;
  make_directories(directory);
  const Json config = preset_config(family, family.presets.at(0).name, {});
  write_file(join_path(directory, "config.json"), config.dump(2));
  return directory;
}

TEST(ModelOutline, OfEveryFamilyComesFromItsConfigurationAlone) {
  for (const Family& family : families()) {
    const ModelOutline outline = model_outline(directory_of(family));
    EXPECT_EQ(outline.name, family.model_type);
    EXPECT_GT(outline.main().layers, 0) << family.name;
    EXPECT_GT(outline.head_width, 0) << family.name;
    EXPECT_GT(outline.context, 0) << family.name;
    EXPECT_EQ(outline.width % outline.main().heads, 0) << family.name;
    const bool both = outline.wiring == ModelOutline::Wiring::encoder_decoder;
    const Json config = preset_config(family, family.presets.at(0).name, {});
    const Json* const said = config.find("is_encoder_decoder");
    EXPECT_EQ(both, said && said->boolean()) << family.name;
    const Picture drawn = diagram_of(outline, Lang::en);
    EXPECT_EQ(drawn.lanes.size(), both ? 2u : 1u);
    EXPECT_EQ(drawn.links.size(), both ? 1u : 0u);
  }
}

TEST(ModelOutline, LessonsShowTheShapesAndTheDiagramOfAnyModel) {
  for (const Family& family : families())
    for (const char* topic : {"shapes", "wirings"})
      for (const char* level : {"story", "student", "math"}) {
        ExplainCommand command;
        command.topic = topic;
        command.level = level;
        command.model = directory_of(family);
        const std::string text = run_explain(command);
        EXPECT_NE(text.find(family.model_type), std::string::npos) << topic << " " << family.name;
      }
}

TEST(ModelOutline, TheSizesOfAModelAreNotTheUsers) {
  ExplainCommand command;
  command.topic = "shapes";
  command.model = directory_of(families().at(0));
  command.inputs = {{"heads", "3"}};
  EXPECT_THROW(run_explain(command), UsageError);
  command.model = "nowhere";
  EXPECT_THROW(run_explain(command), MissingError);
  command.model = directory_of(families().at(0));
  command.inputs.clear();
  command.topic = "softmax";
  EXPECT_THROW(run_explain(command), UsageError);
}

}  // namespace
}  // namespace jogak
