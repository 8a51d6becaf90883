# cmake --install: the binary, the public headers below include/jogak, and what find_package(jogak)
# needs. Users write <jogak/tensor/tensor.h>.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jogak)

# A header listed here includes only headers listed here; tests/consumer includes each of them.
set(JOGAK_PUBLIC_HEADERS
  base/error.h base/file.h base/format.h base/function_ref.h base/json.h base/lang.h base/log.h base/parallel.h
  base/progress.h base/random.h base/utf8.h
  tensor/allocator.h tensor/device.h tensor/dtype.h tensor/shape.h tensor/storage.h tensor/tensor.h
  autograd/autograd.h
  ops/activation.h ops/activation_kind.h ops/add.h ops/add_norm.h ops/attention.h ops/batch_norm.h
  ops/cast.h ops/concat.h ops/cross_entropy.h ops/dropout.h ops/embedding.h ops/layer_norm.h
  ops/linear.h ops/linear_cross_entropy.h ops/matmul.h ops/mul.h ops/pick.h ops/reduce.h
  ops/regression.h ops/reshape.h ops/rms_norm.h ops/scale_series.h ops/scale_series_kind.h
  ops/slice.h ops/softmax.h
  ops/swiglu.h ops/transpose.h ops/unfold.h
  io/file_dtype.h io/model_files.h io/safetensors.h io/safetensors_header.h
  text/aligned_text.h text/encoding.h text/languages.h text/marked_text.h text/stream_decoder.h text/tokenizer.h text/train/bpe.h
  text/train/progress.h text/unicode/normal.h
  text/train/char.h
  data/question_windows.h data/series.h data/series_panel.h
  score/bleu.h score/bleu_tokens.h score/bootstrap.h score/chrf.h score/exact_match.h
  score/translation.h
  draw/forecast_plot.h draw/matrix.h look/alignment.h
  generate/generated.h generate/options.h generate/settings.h
  train/learn_options.h train/options.h
  app/data/text_line.h
  app/measure/bench.h app/measure/eval.h app/measure/eval_result.h app/measure/score.h
  app/tools/info.h app/tools/new_model.h
  app/train/prediction.h app/train/recipe.h app/train/train.h app/train/train_request.h
  app/use/answers.h app/use/encoder.h app/use/forecaster.h app/use/generator.h app/use/pooling.h
  app/use/translator.h)

install(TARGETS jogak_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The manual page and what shells complete, printed by the program itself.
if(NOT CMAKE_CROSSCOMPILING)
  set(extras ${CMAKE_BINARY_DIR}/extras)
  add_custom_command(OUTPUT ${extras}/jogak.1
    COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}/ko
    COMMAND jogak_cli completion man --lang en > ${extras}/jogak.1
    COMMAND jogak_cli completion man --lang ko > ${extras}/ko/jogak.1
    COMMAND jogak_cli completion bash > ${extras}/jogak
    COMMAND jogak_cli completion zsh --lang en > ${extras}/_jogak
    DEPENDS jogak_cli COMMENT "Writing the manual page and completions" VERBATIM)
  add_custom_target(jogak_extras ALL DEPENDS ${extras}/jogak.1)
  install(FILES ${extras}/jogak.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${extras}/ko/jogak.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/ko/man1)
  install(FILES ${extras}/jogak DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${extras}/_jogak DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
install(PROGRAMS scripts/replay-parity.py DESTINATION ${CMAKE_INSTALL_DATADIR}/jogak/scripts)
foreach(header ${JOGAK_PUBLIC_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/jogak/${folder})
endforeach()

# jogak::jogak is all folders; each is also there alone, as jogak::base and so on.
add_library(jogak INTERFACE)
target_compile_features(jogak INTERFACE cxx_std_20)
target_include_directories(jogak INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
get_property(folders GLOBAL PROPERTY JOGAK_FOLDERS)
foreach(folder ${folders})
  set_target_properties(jogak_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_link_libraries(jogak INTERFACE jogak_${folder})
  install(TARGETS jogak_${folder} EXPORT jogak ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(TARGETS jogak EXPORT jogak)

install(EXPORT jogak NAMESPACE jogak:: FILE jogakTargets.cmake DESTINATION ${package_dir})
install(FILES cmake/dependencies.cmake DESTINATION ${package_dir} RENAME jogakDependencies.cmake)
file(WRITE ${CMAKE_BINARY_DIR}/jogakConfig.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/jogakDependencies.cmake)\n"
  "include(\${CMAKE_CURRENT_LIST_DIR}/jogakTargets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/jogakConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/jogakConfig.cmake ${CMAKE_BINARY_DIR}/jogakConfigVersion.cmake
  DESTINATION ${package_dir})
