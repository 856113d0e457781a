#include "store/sql/insert_rows.hpp"

namespace floodgate::store {

std::string insert_text(const insert_shape& shape, std::size_t rows) {
    std::string row = "(?";
    for (int i = 1; i < shape.columns; ++i) row += ",?";
    row += ")";
    std::string sql = "INSERT INTO ";
    sql.append(shape.into).append(" VALUES ").append(row);
    for (std::size_t i = 1; i < rows; ++i) sql.append(",").append(row);
    return sql;
}

}  // namespace floodgate::store
