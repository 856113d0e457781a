#include "api/json_keys.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <set>
#include <utility>
#include <vector>

#include "base/errc.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

// The callbacks of basic_parser. Only keys and the ends of objects matter here. Returning false
// stops the parser.
struct key_watcher {
    static constexpr std::size_t max_object_size = std::size_t(-1);
    static constexpr std::size_t max_array_size = std::size_t(-1);
    static constexpr std::size_t max_key_size = std::size_t(-1);
    static constexpr std::size_t max_string_size = std::size_t(-1);

    using error_code = boost::system::error_code;
    std::vector<std::set<std::string, std::less<>>> open;  // the keys of every object being read
    std::string part;                                      // of a key that comes in pieces
    std::optional<std::string> twice;

    bool on_object_begin(error_code&) {
        open.emplace_back();
        return true;
    }
    bool on_object_end(std::size_t, error_code&) {
        open.pop_back();
        return true;
    }
    bool on_key_part(json::string_view s, std::size_t, error_code&) {
        part.append(s.data(), s.size());
        return true;
    }
    bool on_key(json::string_view s, std::size_t, error_code& ec) {
        part.append(s.data(), s.size());
        if (!open.back().insert(part).second) {
            twice = std::move(part);
            ec = make_error_code(floodgate::errc::invalid);
            return false;
        }
        part.clear();
        return true;
    }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t, error_code&) { return true; }
    bool on_string_part(json::string_view, std::size_t, error_code&) { return true; }
    bool on_string(json::string_view, std::size_t, error_code&) { return true; }
    bool on_number_part(json::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t, json::string_view, error_code&) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, error_code&) { return true; }
    bool on_double(double, json::string_view, error_code&) { return true; }
    bool on_bool(bool, error_code&) { return true; }
    bool on_null(error_code&) { return true; }
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }
};

}  // namespace

std::optional<std::string> repeated_key(std::string_view text, std::size_t depth_max) {
    json::parse_options options;
    options.max_depth = depth_max;
    json::basic_parser<key_watcher> parser(options);
    boost::system::error_code ignored;
    parser.write_some(false, text.data(), text.size(), ignored);
    return std::move(parser.handler().twice);
}

}  // namespace floodgate::api
