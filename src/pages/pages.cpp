#include "pages/pages.hpp"

// The assembler includes the file byte for byte and finds it on the include path; see
// CMakeLists.txt.
asm(R"(
    .pushsection .rodata
    .global floodgate_pages_begin
    .global floodgate_pages_end
    .balign 16
floodgate_pages_begin:
    .incbin "pages.bin"
floodgate_pages_end:
    .byte 0
    .popsection
)");

extern "C" const char floodgate_pages_begin[];
extern "C" const char floodgate_pages_end[];

namespace floodgate::pages {

std::string_view packed() {
    return {floodgate_pages_begin,
            static_cast<std::size_t>(floodgate_pages_end - floodgate_pages_begin)};
}

}  // namespace floodgate::pages
