# Three common warnings are missing on purpose: gcc 12 reports false -Wnull-dereference at -O2,
# boost::system::error_category trips -Wnon-virtual-dtor, and leaving members out is what designated
# initialisers are for (clang agrees, gcc 12 does not). Sources that are compiled together see each other's
# names, so -Wshadow would give false warnings.
add_library(floodgate_warnings INTERFACE)
target_compile_options(floodgate_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Woverloaded-virtual -Wformat=2 -Wimplicit-fallthrough
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wsuggest-override
                           -Wno-missing-field-initializers>
  $<$<BOOL:${FLOODGATE_UNITY}>:-Wno-shadow>
  $<$<BOOL:${FLOODGATE_WERROR}>:-Werror>)
