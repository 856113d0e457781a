#include "api/openapi.hpp"

// The assembler includes the file byte for byte and finds it on the include path. The build must be
// told that this object depends on it: see OBJECT_DEPENDS in CMakeLists.txt. ccache recognises the
// directive and does not cache this file.
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
