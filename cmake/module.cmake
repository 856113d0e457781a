# floodgate_module(gate SOURCES a.cpp TESTS a_test.cpp DEPENDS sale base [LINKS Boost::json])
# One folder is one library, one namespace and one test program. Sources are listed by name.
function(floodgate_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TESTS;DEPENDS;LINKS")
  list(TRANSFORM arg_DEPENDS PREPEND floodgate_)

  add_library(floodgate_${name} STATIC ${arg_SOURCES})
  target_include_directories(floodgate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(floodgate_${name}
    PUBLIC ${arg_DEPENDS} ${arg_LINKS} PRIVATE floodgate_warnings)

  if(BUILD_TESTING AND arg_TESTS)
    add_executable(${name}_test ${arg_TESTS})
    target_link_libraries(${name}_test
      PRIVATE floodgate_${name} floodgate_warnings GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()
