# Two common warnings are missing on purpose: gcc 12 reports false -Wnull-dereference at -O2, and
# boost::system::error_category trips -Wnon-virtual-dtor.
add_library(floodgate_warnings INTERFACE)
target_compile_options(floodgate_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Woverloaded-virtual -Wformat=2 -Wimplicit-fallthrough
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wsuggest-override>
  $<$<BOOL:${FLOODGATE_WERROR}>:-Werror>)
