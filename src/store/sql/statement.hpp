// A prepared statement, as a database offers it. Most code uses connection::run and ask instead.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace floodgate::store {

class statement {
public:
    virtual ~statement() = default;

    // Places count from 1. Text and bytes are borrowed: they must stay until reset().
    virtual void bind(int place, std::int64_t value) = 0;
    virtual void bind(int place, std::string_view text) = 0;
    virtual void bind(int place, byte_view bytes) = 0;
    virtual void bind_null(int place) = 0;

    // True: there is a row to read. False: done; step again only after reset().
    virtual bool step() = 0;
    // Makes it ready to be bound and stepped again; releases borrowed data and its read lock.
    virtual void reset() noexcept = 0;

    // The columns of the row that step() found, from 0. Views end with the next step() or reset().
    virtual std::int64_t integer(int column) const = 0;
    virtual std::string_view text(int column) const = 0;
    virtual byte_view bytes(int column) const = 0;
    virtual bool is_null(int column) const = 0;
};

}  // namespace floodgate::store
