// The pages for browsers: storefront, console and their assets, answered from memory.
//
// They come as one packed file, with every body compressed in advance (web/tools/pack.mjs). An
// address that the pages themselves route (/orders/7) is answered with their shell. Everything here
// is read only after construction, so every loop may ask.

#pragma once

#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/reply.hpp"
#include "api/routes.hpp"

namespace floodgate::api {

class web_pages {
public:
    // The text must outlive this object. Throws std::runtime_error when it is not a packed file.
    explicit web_pages(std::string_view packed);

    struct question {
        std::string_view path;
        std::string_view accept_encoding;
        std::string_view if_none_match;
        door at = door::everything;  // no_operators: the console is on another listener
    };
    // Empty: there is no such page here.
    std::optional<reply> answer(const question& q) const;

private:
    struct body {
        std::string coding;  // empty: as it is
        std::string_view bytes;
    };
    struct page {
        std::string type, etag, headers;
        std::vector<body> bodies;  // the smallest first, the plain one last
    };

    void add(const boost::json::object& o, std::string_view bodies);
    const page* find(const question& q) const;

    std::map<std::string, page, std::less<>> pages_;
};

// Whether Accept-Encoding allows the coding: named without q=0.
bool accepts(std::string_view accept_encoding, std::string_view coding);

}  // namespace floodgate::api
