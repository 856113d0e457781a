#include "commands/sandbox_server.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "commands/private_files.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::commands {
namespace {

constexpr std::size_t handlers = 16;  // an answer that comes late on demand holds one meanwhile
constexpr milliseconds merchant_answers_within{5000};  // as WeChat Pay demands
constexpr std::size_t merchant_answer_bytes_max = 4096;
constexpr milliseconds looks_at_least_every{1000};  // the clock may be set

class merchant_poster final : public sandbox::poster {
public:
    explicit merchant_poster(store::http_caller& by) : by_(by) {}

    sandbox::posted post(const std::string& url, const sandbox::header_list& headers,
                         const std::string& body) override {
        const store::http_answer said =
            by_.ask({.verb = "POST", .url = url, .headers = headers, .body = body});
        log::info("commands.notify_sent", "status", said.status, "error", said.error);
        return {said.status, said.body};
    }

private:
    store::http_caller& by_;
};

}  // namespace

sandbox_server::sandbox_server(sandbox::parties who, const options& o)
    : lock_(take_directory(files_, o.data, "sandbox")),
      trades_(store::open_sqlite({.path = o.data + "/sandbox.db"})),
      gateway_(std::move(who), *trades_),
      caller_(std::make_unique<store::curl_caller>(
          store::http_caller_options{.total = merchant_answers_within,
                                     .answer_bytes_max = merchant_answer_bytes_max,
                                     .allow_private = true})),
      poster_(std::make_unique<merchant_poster>(*caller_)),
      delivering_("notify merchant", looks_at_least_every, [this] { return deliver(); }),
      server_(std::make_unique<http::side_server>(
          http::side_options{
              .listen = o.listen, .threads = handlers, .body_bytes_max = sandbox::body_bytes_max},
          [this](const http::side_request& r) { return answer(r); })) {
    delivering_.start();
}

sandbox_server::~sandbox_server() {
    {
        const std::scoped_lock lock(mutex_);
        ends_ = true;
    }
    ending_.notify_all();
    server_.reset();
    delivering_.stop();
}

http::side_response sandbox_server::answer(const http::side_request& r) {
    if (r.path() == "/healthz") return {.content_type = "text/plain", .body = "ok\n"};
    sandbox::response said = gateway_.answer({.verb = r.verb,
                                              .path = std::string(r.path()),
                                              .query = std::string(r.query()),
                                              .headers = r.headers,
                                              .body = r.body},
                                             clock_.now());
    delivering_.wake();
    wait(said.delay);
    return {.status = static_cast<unsigned>(said.status),
            .content_type = std::move(said.content_type),
            .body = std::move(said.body),
            .headers = std::move(said.headers)};
}

// Ends early when the server ends.
void sandbox_server::wait(milliseconds delay) {
    if (delay <= milliseconds(0)) return;
    std::unique_lock lock(mutex_);
    ending_.wait_for(lock, delay, [this] { return ends_; });
}

next_step sandbox_server::deliver() {
    const instant next = gateway_.deliver(*poster_, clock_.now());
    const instant now = clock_.now();
    if (next <= now) return next_step::at_once();
    return next_step::after(std::min(next - now, looks_at_least_every));
}

}  // namespace floodgate::commands
