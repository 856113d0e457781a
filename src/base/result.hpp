// result<T>: a value, or the reason there is none.
//
// For operating errors only: the disk is full, a deadline passed, a peer sent nonsense.
// "Sold out" is not an error. It is an answer, and travels as a value.

#pragma once

#include <boost/system/result.hpp>

#include "base/errc.hpp"

namespace floodgate {

// boost::system::result plus what Boost 1.81 left out: dropping one is a warning.
template <class T>
class [[nodiscard]] result : public boost::system::result<T> {
public:
    using boost::system::result<T>::result;
};

}  // namespace floodgate
