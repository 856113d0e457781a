#include "api/failure.hpp"

#include <utility>

#include "base/errc.hpp"

namespace floodgate::api {
namespace {

problem problem_of(const boost::system::error_code& why) {
    if (why == make_error_code(errc::not_found)) return problem::not_found;
    if (why == make_error_code(errc::already_exists)) return problem::already_exists;
    if (why == make_error_code(errc::conflict)) return problem::conflict;
    if (why == make_error_code(errc::invalid)) return problem::invalid;
    if (why == make_error_code(errc::store_unavailable)) return problem::busy;
    if (why == make_error_code(errc::overloaded)) return problem::busy;
    if (why == make_error_code(errc::fenced)) return problem::busy;
    return problem::internal;
}

}  // namespace

reply failure_reply(const boost::system::error_code& why, language lang,
                    boost::json::object extra) {
    const problem p = problem_of(why);
    if (p == problem::busy) extra["retry_after_ms"] = retry_after_failure_ms;
    return problem_reply(p, lang, std::move(extra));
}

reply limited_reply(milliseconds wait, language lang) {
    return problem_reply(problem::too_many_requests, lang,
                         {{"retry_after_ms", std::int64_t{wait.count()}}});
}

}  // namespace floodgate::api
