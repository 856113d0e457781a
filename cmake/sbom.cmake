# floodgate_sbom(TARGET): writes TARGET.cdx.json next to the program, with the libraries it is made of,
# after each link (cmake/sbom.py).
function(floodgate_sbom target)
  find_program(FLOODGATE_SBOM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
  if(NOT FLOODGATE_SBOM_PYTHON)
    message(WARNING "no /usr/bin/python3: ${target}.cdx.json is not made")
    return()
  endif()
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${FLOODGATE_SBOM_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/sbom.py $<TARGET_FILE:${target}>)
endfunction()
