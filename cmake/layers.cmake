# A folder under src/ is a layer: one static library of its .cc files, and one test program of its
# *_test.cc files. A new file is found by itself; a new folder gets one line in CMakeLists.txt.

# What every test gets: the folder of real files, where it is. Tests that need it are skipped elsewhere.
get_filename_component(corpus "${CMAKE_SOURCE_DIR}/../shared/corpus" ABSOLUTE)
set(STAGED_TEST_PROPERTIES "")
if(EXISTS "${corpus}")
  set(STAGED_TEST_PROPERTIES ENVIRONMENT "STAGED_CORPUS=${corpus}")
endif()

add_library(staged_options INTERFACE)
target_include_directories(staged_options INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
# GCC judges; clang only builds for sanitizers and fuzzing, and warns about the C++ library's own
# headers.
target_compile_options(staged_options INTERFACE -Wall -Wextra
                       "$<$<CXX_COMPILER_ID:GNU>:-Werror;-Wshadow=local;-Wno-maybe-uninitialized>"
                       -Wnon-virtual-dtor -Wno-missing-field-initializers)

# Archives before shared objects: each object that is loaded costs every start of a program a tenth of a
# millisecond. What is under the LGPL stays shared, so that users may put another in its place.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
set(OPENSSL_USE_STATIC_LIBS TRUE)
set(STAGED_SHARED_PACKAGES libseccomp)

function(staged_link target visibility)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PACKAGES;LIBRARIES;PKG;THIRD_PARTY;TEST_PKG" ${ARGN})
  foreach(name ${ARG_DEPENDS})
    target_link_libraries(${target} ${visibility} staged_${name})
  endforeach()
  # First, since they use the others.
  foreach(name ${ARG_THIRD_PARTY})
    target_include_directories(${target} SYSTEM ${visibility} ${STAGED_THIRD_PARTY}/include)
    target_link_libraries(${target} ${visibility} ${STAGED_THIRD_PARTY}/lib/lib${name}.a)
  endforeach()
  target_link_libraries(${target} ${visibility} ${ARG_PACKAGES})
  # Those that neither CMake nor pkg-config knows.
  foreach(name ${ARG_LIBRARIES})
    find_library(STAGED_LIBRARY_${name} ${name} REQUIRED)
    target_link_libraries(${target} ${visibility} ${STAGED_LIBRARY_${name}})
  endforeach()
  foreach(name ${ARG_PKG})
    if(NOT TARGET PkgConfig::${name})
      if(name IN_LIST STAGED_SHARED_PACKAGES)
        set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
      endif()
      pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${name})
    endif()
    target_link_libraries(${target} ${visibility} PkgConfig::${name})
  endforeach()
endfunction()

# TEST_PKG: packages that only the layer's test program links (independent oracles).
function(staged_layer name)
  cmake_parse_arguments(LAYER "" "" "TEST_PKG" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(NOT sources)
    return()
  endif()
  add_library(staged_${name} STATIC ${sources})
  target_link_libraries(staged_${name} PUBLIC staged_options Threads::Threads)
  staged_link(staged_${name} PUBLIC ${ARGN})
  if(tests AND BUILD_TESTING)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE staged_${name} GTest::gmock GTest::gtest_main)
    staged_link(${name}_test PRIVATE PKG ${LAYER_TEST_PKG})
    target_compile_definitions(${name}_test PRIVATE STAGED_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." NO_PRETTY_VALUES DISCOVERY_TIMEOUT 300
                         PROPERTIES TIMEOUT 600 LABELS unit ${STAGED_TEST_PROPERTIES})
  endif()
endfunction()

function(staged_binary name)
  cmake_parse_arguments(ARG "" "MAIN;DIRECTORY" "DEPENDS" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${ARG_MAIN})
    return()
  endif()
  add_executable(${name} ${ARG_MAIN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  staged_link(${name} PRIVATE DEPENDS ${ARG_DEPENDS})
endfunction()

# tests/<kind>/*_test.cc: one program a kind, linked with everything; other .cc files there are
# shared by its tests.
function(staged_tests directory)
  if(NOT BUILD_TESTING)
    return()
  endif()
  foreach(kind conformance property simulation e2e)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${directory}/${kind}/*.cc)
    if(sources)
      add_executable(${kind}_tests ${sources})
      target_include_directories(${kind}_tests PRIVATE ${CMAKE_SOURCE_DIR})
      target_link_libraries(${kind}_tests PRIVATE GTest::gmock GTest::gtest_main)
      foreach(layer cli wire workspace parse_host formats derived merge diff format journal store codec env record base)
        if(TARGET staged_${layer})
          target_link_libraries(${kind}_tests PRIVATE staged_${layer})
        endif()
      endforeach()
      target_compile_definitions(${kind}_tests PRIVATE STAGED_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                 STAGED_BINARY_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
      if(kind STREQUAL "e2e" AND TARGET staged)
        add_dependencies(e2e_tests staged misbehaving_parse_worker)
      endif()
      gtest_discover_tests(${kind}_tests TEST_PREFIX "${kind}." NO_PRETTY_VALUES DISCOVERY_TIMEOUT 300
                           PROPERTIES TIMEOUT 1200 LABELS ${kind} ${STAGED_TEST_PROPERTIES})
    endif()
  endforeach()
endfunction()

# tests/<directory>/*_test.py: tests in Python that start the binary, which STAGED_BINARY names.
function(staged_end_to_end_tests directory)
  if(NOT BUILD_TESTING OR NOT TARGET staged)
    return()
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${directory}/*_test.py)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME e2e.${name} COMMAND /usr/bin/python3 ${script})
    set(environment "STAGED_BINARY=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/staged")
    if(EXISTS "${corpus}")
      list(APPEND environment "STAGED_CORPUS=${corpus}")
    endif()
    set_tests_properties(e2e.${name} PROPERTIES LABELS e2e TIMEOUT 900 SKIP_RETURN_CODE 77
                         ENVIRONMENT "${environment}")
  endforeach()
endfunction()

# Tests of the repository itself, in Python: the rules of its source, and the commands that its
# documents show.
function(staged_repository_tests)
  if(NOT BUILD_TESTING)
    return()
  endif()
  foreach(rule layers calls libraries lengths fuzzers headers words format links contract)
    add_test(NAME tidy.${rule} COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/tidy/tidy.py ${rule})
    set_tests_properties(tidy.${rule} PROPERTIES LABELS tidy TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
  add_test(NAME tidy.self COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/tidy/tidy_test.py)
  set_tests_properties(tidy.self PROPERTIES LABELS tidy TIMEOUT 60)
  foreach(script run_consoles format_pages)
    add_test(NAME docs.self.${script}
             COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/docs/${script}_test.py)
    set_tests_properties(docs.self.${script} PROPERTIES LABELS docs TIMEOUT 60)
  endforeach()
  if(TARGET staged)
    add_test(NAME docs.format_pages COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/docs/format_pages.py
             --staged ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/staged)
    set_tests_properties(docs.format_pages PROPERTIES LABELS docs TIMEOUT 60)
    file(GLOB documents CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/README.md
         ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/formats/*.md)
    foreach(document ${documents})
      file(STRINGS ${CMAKE_SOURCE_DIR}/${document} consoles REGEX "^```console")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${document})
      if(consoles)
        add_test(NAME docs.${document} COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/docs/run_consoles.py
                 --binaries ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR}/${document})
        set_tests_properties(docs.${document} PROPERTIES LABELS docs TIMEOUT 300)
      endif()
    endforeach()
  endif()
endfunction()

# <directory>/*_fuzzer.cc: one libFuzzer program a file, all built by the target "fuzzers" together with
# write_seeds, which makes inputs for them; with -DSTAGED_FUZZ=ON (preset asan-ubsan) only.
function(staged_fuzzers directory)
  if(NOT STAGED_FUZZ)
    return()
  endif()
  add_library(fuzzed_workspace STATIC EXCLUDE_FROM_ALL tests/simulation/workspace_site.cc)
  target_include_directories(fuzzed_workspace PUBLIC ${CMAKE_SOURCE_DIR})
  staged_link(fuzzed_workspace PUBLIC DEPENDS wire parse_host formats workspace)
  add_executable(write_seeds EXCLUDE_FROM_ALL ${directory}/write_seeds.cc)
  target_link_libraries(write_seeds PRIVATE fuzzed_workspace)
  add_custom_target(fuzzers DEPENDS write_seeds)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${directory}/*_fuzzer.cc)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_libraries(${name} PRIVATE fuzzed_workspace)
    add_dependencies(fuzzers ${name})
  endforeach()
endfunction()

# bench/*.cc: one program, built only when asked for (bench/run does).
function(staged_bench directory)
  if(NOT TARGET staged_workspace OR NOT TARGET staged_formats)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${directory}/*.cc)
  add_executable(staged_bench EXCLUDE_FROM_ALL ${sources})
  target_include_directories(staged_bench PRIVATE ${CMAKE_SOURCE_DIR})
  staged_link(staged_bench PRIVATE DEPENDS workspace formats parse_host THIRD_PARTY sqlite3)
endfunction()
