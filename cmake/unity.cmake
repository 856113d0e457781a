# floodgate_sources(gate_test a_test.cpp b_test.cpp ...): what a target is compiled from. With
# FLOODGATE_UNITY several sources are compiled at once (cmake/unity.py), which takes a fraction of the
# time. A source with compile definitions or further dependencies of its own is compiled alone.
option(FLOODGATE_UNITY "Compile several sources at once" OFF)

function(floodgate_sources target)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  if(FLOODGATE_UNITY)  # at the end of the CMakeLists.txt, when the properties of the sources are known
    cmake_language(EVAL CODE "cmake_language(DEFER CALL floodgate_compile_together ${target} ${ARGN})")
  else()
    target_sources(${target} PRIVATE ${ARGN})
  endif()
endfunction()

function(floodgate_compile_together target)
  foreach(source ${ARGN})
    file(REAL_PATH ${source} source)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    get_source_file_property(depends ${source} OBJECT_DEPENDS)
    if(definitions OR depends)
      list(APPEND alone ${source})
    else()
      list(APPEND others ${source})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${others})  # names in them may clash now
  find_program(FLOODGATE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
  execute_process(
    COMMAND ${FLOODGATE_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/unity.py ${PROJECT_SOURCE_DIR}/src
            ${PROJECT_BINARY_DIR}/together/${target} ${others}
    OUTPUT_VARIABLE together OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" together "${together}")
  target_sources(${target} PRIVATE ${together} ${alone})
endfunction()
