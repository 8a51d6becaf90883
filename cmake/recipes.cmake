# The recipes of recipes/ become part of the program, so that the commands in its help run from any
# directory.
file(GLOB recipe_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/recipes/*.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${recipe_files})
set(recipe_rows "")
foreach(file ${recipe_files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND recipe_rows "    {\"${name}\", R\"toml(${content})toml\"},\n")
endforeach()
set(recipe_source ${CMAKE_BINARY_DIR}/built_in_recipes.cpp)
file(CONFIGURE OUTPUT ${recipe_source} @ONLY CONTENT [[
#include "app/train/built_in_recipes.h"

namespace jogak {

std::span<const BuiltInRecipe> built_in_recipes() {
  static constexpr BuiltInRecipe kAll[] = {
@recipe_rows@  };
  return kAll;
}

}  // namespace jogak
]])
target_sources(jogak_app PRIVATE ${recipe_source})
