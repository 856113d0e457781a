# floodgate_module(gate SOURCES a.cpp TESTS a_test.cpp DEPENDS sale base
#                  [LINKS Boost::json] [TESTING fixture.cpp] [TESTS_USE ledger])
# One folder is one library, one namespace and one test program. Sources are listed by name.
#
# TESTING: what only tests use, as a library of its own, floodgate_NAME_testing. The folder's tests
# have it; tests of other folders name the folder after TESTS_USE.
function(floodgate_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TESTS;DEPENDS;LINKS;TESTING;TESTS_USE")
  list(TRANSFORM arg_DEPENDS PREPEND floodgate_)

  add_library(floodgate_${name} STATIC ${arg_SOURCES})
  target_include_directories(floodgate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(floodgate_${name}
    PUBLIC ${arg_DEPENDS} ${arg_LINKS} PRIVATE floodgate_warnings)
  if(NOT BUILD_TESTING)
    return()
  endif()

  list(TRANSFORM arg_TESTS_USE PREPEND floodgate_)
  list(TRANSFORM arg_TESTS_USE APPEND _testing)
  if(arg_TESTING)
    add_library(floodgate_${name}_testing STATIC ${arg_TESTING})
    target_link_libraries(floodgate_${name}_testing
      PUBLIC floodgate_${name} ${arg_TESTS_USE} GTest::gmock GTest::gtest PRIVATE floodgate_warnings)
    list(APPEND arg_TESTS_USE floodgate_${name}_testing)
  endif()
  if(arg_TESTS)
    add_executable(${name}_test ${arg_TESTS})
    target_link_libraries(${name}_test
      PRIVATE floodgate_${name} ${arg_TESTS_USE} floodgate_warnings GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()
