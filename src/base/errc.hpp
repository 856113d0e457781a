// The operating errors Floodgate itself can raise.

#pragma once

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace floodgate {

enum class errc {
    not_found = 1,      // Never 0: an error_code of value 0 reads as success.
    already_exists,     // a unique thing is there already: a phone number, a sale in a round
    conflict,           // the state does not allow it: removing more stock than is free
    invalid,            // the values do not make sense: a window that ends before it starts
    store_unavailable,  // the disk or database failed or is locked; asking again may help
    corrupt,            // what was read cannot be what was written
    overloaded,         // a queue is at its limit
    rejected,           // the store is well but will not take this: asking again will not help
    fenced,             // another node has taken over: this one may not write here any more
};

boost::system::error_code make_error_code(errc e) noexcept;

}  // namespace floodgate

template <>
struct boost::system::is_error_code_enum<floodgate::errc> : std::true_type {};
