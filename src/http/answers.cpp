#include "http/answers.hpp"

#include "http/connection.hpp"

namespace floodgate::http {

void answers::send(connection& to, const api::reply& r) {
    count(r.status);
    bytes_.clear();
    const framing f{.date = date_.at(now_),
                    .keep_alive = to.keep_alive(),
                    .head_only = to.head_only,
                    .cors = to.cors,
                    .request_id = to.request_id};
    if (has_shared_part(r, f)) {
        write_start(bytes_, r, f);
        to.answer({bytes_, r.shared, r.tail});
    } else {
        write_reply(bytes_, r, f);
        to.answer(bytes_);
    }
}

void answers::send(connection& to, api::problem p, boost::json::object extra) {
    send(to, api::problem_reply(p, to.language, std::move(extra)));
}

void answers::send_busy(connection& to) {
    send(to, api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
}

void answers::send(connection& to, const sale::verdict& v) {
    count(status_of(v.what));
    bytes_.clear();
    write_verdict(bytes_, v, to.language,
                  {.date = date_.at(now_),
                   .keep_alive = to.keep_alive(),
                   .cors = to.cors,
                   .now = now_,
                   .request_id = to.request_id});
    to.answer(bytes_);
}

std::string_view answers::last_words(api::problem p, boost::json::object extra) {
    const api::reply r = api::problem_reply(p, api::language::en, std::move(extra));
    count(r.status);
    bytes_.clear();
    write_reply(bytes_, r, {.date = date_.at(now_), .keep_alive = false});
    return bytes_;
}

void answers::add_to(figures& sum) const {
    for (std::size_t i = 0; i < by_status_.size(); ++i) sum.by_status[i] += by_status_[i].read();
}

}  // namespace floodgate::http
