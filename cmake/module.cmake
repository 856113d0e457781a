# floodgate_module(gate SOURCES a.cpp TESTS a_test.cpp DEPENDS sale base
#                  [LINKS Boost::json] [TESTING fixture.cpp] [TESTS_USE ledger])
# One folder is one library, one namespace and one test program. Sources are listed by name.
#
# TESTING: what only tests use, as a library of its own, floodgate_NAME_testing. The folder's tests
# have it; tests of other folders name the folder after TESTS_USE.
function(floodgate_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TESTS;DEPENDS;LINKS;TESTING;TESTS_USE")
  list(TRANSFORM arg_DEPENDS PREPEND floodgate_)

  add_library(floodgate_${name} STATIC)
  floodgate_sources(floodgate_${name} ${arg_SOURCES})
  target_include_directories(floodgate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(floodgate_${name}
    PUBLIC ${arg_DEPENDS} ${arg_LINKS} PRIVATE floodgate_warnings)
  if(NOT BUILD_TESTING)
    return()
  endif()

  list(TRANSFORM arg_TESTS_USE PREPEND floodgate_)
  list(TRANSFORM arg_TESTS_USE APPEND _testing)
  if(arg_TESTING)
    add_library(floodgate_${name}_testing STATIC)
    floodgate_sources(floodgate_${name}_testing ${arg_TESTING})
    target_compile_options(floodgate_${name}_testing PRIVATE ${FLOODGATE_TEST_OPTIONS})
    target_link_libraries(floodgate_${name}_testing
      PUBLIC floodgate_${name} ${arg_TESTS_USE} GTest::gmock GTest::gtest PRIVATE floodgate_warnings)
    list(APPEND arg_TESTS_USE floodgate_${name}_testing)
  endif()
  if(arg_TESTS)
    floodgate_test(${name}_test unit SOURCES ${arg_TESTS} LINKS floodgate_${name} ${arg_TESTS_USE})
  endif()
endfunction()

# floodgate_test(gate_test unit SOURCES a_test.cpp LINKS floodgate_gate): a program of GoogleTests.
# CTest runs it as two processes with half of its tests each: one process for each test would spend
# most of its time on starting. Each leaves a report, from which tests/stages.py counts single tests.
set(FLOODGATE_TEST_SECONDS 1800)  # for one half, under a sanitizer, on a very busy machine
set(FLOODGATE_TEST_OPTIONS "" CACHE STRING "How to compile tests, after the options of everything else")
add_custom_target(tests COMMENT "The programs that CTest runs")

function(floodgate_test name label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LINKS")
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_executable(${name})
  floodgate_sources(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${FLOODGATE_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} floodgate_warnings GTest::gmock GTest::gtest_main)
  add_dependencies(tests ${name})
  foreach(half 0 1)
    math(EXPR number "${half} + 1")
    set(report ${PROJECT_BINARY_DIR}/test-results/${name}.${number}.xml)
    add_test(NAME ${name}.${number} COMMAND ${name})
    set_tests_properties(${name}.${number} PROPERTIES LABELS ${label} TIMEOUT ${FLOODGATE_TEST_SECONDS}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half};GTEST_OUTPUT=xml:${report}")
  endforeach()
endfunction()
