#include "store/sql/dialect.hpp"

#include <fmt/format.h>

namespace floodgate::store {

std::string adapt(std::string_view sql, const dialect& to) {
    return fmt::format(
        fmt::runtime(sql), fmt::arg("auto_id", to.auto_id), fmt::arg("row_id", to.row_id),
        fmt::arg("table_end", to.table_end), fmt::arg("clustered_end", to.clustered_end),
        fmt::arg("also_key", to.also_key), fmt::arg("insert_ignore", to.insert_ignore));
}

}  // namespace floodgate::store
