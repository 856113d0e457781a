// The operating errors Floodgate itself can raise.

#pragma once

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace floodgate {

enum class errc {
    not_found = 1,      // Never 0: an error_code of value 0 reads as success.
    already_exists,     // it must be unique and exists: a phone number, a sale in a round
    conflict,           // the state does not allow it: removing more stock than is free
    invalid,            // the values do not make sense: a window that ends before it starts
    store_unavailable,  // the disk or database failed or is locked; asking again may help
    corrupt,            // the bytes read cannot be the bytes that were written
    overloaded,         // a queue is at its limit
    rejected,           // the store works but refuses this request; asking again will not help
    fenced,             // another node has taken over: this one may not write here any more
};

boost::system::error_code make_error_code(errc e) noexcept;

}  // namespace floodgate

template <>
struct boost::system::is_error_code_enum<floodgate::errc> : std::true_type {};
