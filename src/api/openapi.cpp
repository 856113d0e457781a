#include "api/openapi.hpp"

// The assembler takes the file in, byte for byte, and finds it as the compiler finds our headers.
// The build has to be told that this object depends on it: see OBJECT_DEPENDS in CMakeLists.txt.
// ccache sees the directive and leaves this file alone.
asm(R"(
    .pushsection .rodata
    .global floodgate_openapi_begin
    .global floodgate_openapi_end
floodgate_openapi_begin:
    .incbin "api/openapi.json"
floodgate_openapi_end:
    .byte 0
    .popsection
)");

extern "C" const char floodgate_openapi_begin[];
extern "C" const char floodgate_openapi_end[];

namespace floodgate::api {

std::string_view openapi_json() {
    return {floodgate_openapi_begin,
            static_cast<std::size_t>(floodgate_openapi_end - floodgate_openapi_begin)};
}

}  // namespace floodgate::api
