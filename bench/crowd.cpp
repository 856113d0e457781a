// A crowd in one thread: every request is another buyer's, over keep-alive connections.
//
// Closed loop: each connection asks again as soon as it is answered. With --rate, open loop:
// requests leave on schedule whatever the server does, and their latency counts from the moment
// they were due. Prints one line of JSON. Exit code 1: an answer was not as expected, or missing;
// the run is void.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

struct options {
    std::uint16_t port = 8080;
    std::string path;
    std::string paths_file;
    std::string body;
    std::string tokens_file;
    std::size_t skip = 0;
    std::size_t limit = 0;
    std::size_t repeat = 1;
    std::size_t connections = 256;
    double seconds_max = 4;
    double rate = 0;
    std::vector<int> statuses{202};
    std::string containing;
};

struct connection {
    int fd = -1;
    std::string in;            // the part of an answer that has arrived
    steady::time_point due{};  // when its request was to be sent
    bool busy = false;
};

struct tally {
    std::map<int, std::size_t> statuses;
    std::vector<float> latencies_ms;
    std::size_t unexpected = 0;  // another status than expected, or without the text expected
    std::size_t errors = 0;      // connections that broke, requests that could not be sent
    std::size_t unanswered = 0;
    double took_s = 0;
};

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// The lines of a file that this crowd uses.
std::vector<std::string> read_lines(const std::string& name, const options& o) {
    std::ifstream file(name);
    if (!file) fail(name.c_str());
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t i = 0; std::getline(file, line); ++i) {
        if (i < o.skip) continue;
        if (o.limit != 0 && lines.size() == o.limit) break;
        lines.push_back(line);
    }
    if (lines.empty()) throw std::runtime_error(name + ": no line left to use");
    return lines;
}

std::vector<std::string> read_paths(const options& o, std::size_t tokens) {
    if (o.paths_file.empty()) return {o.path};
    auto paths = read_lines(o.paths_file, o);
    if (paths.size() < tokens) throw std::runtime_error(o.paths_file + ": fewer paths than tokens");
    return paths;
}

// The length of the first whole answer in `in`; 0 while it is incomplete.
std::size_t whole_answer(std::string_view in) {
    constexpr std::string_view name = "\r\ncontent-length:";
    const auto head = in.find("\r\n\r\n");
    if (head == std::string_view::npos) return 0;
    std::size_t body = 0;
    for (auto at = in.find("\r\n"); at < head; at = in.find("\r\n", at + 2)) {
        if (at + name.size() > head || strncasecmp(&in[at], name.data(), name.size()) != 0)
            continue;
        auto digits = in.substr(at + name.size(), head - at - name.size());
        digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
        std::from_chars(digits.data(), digits.data() + digits.size(), body);
    }
    const auto length = head + 4 + body;
    return in.size() >= length ? length : 0;
}

int status_of(std::string_view answer) {
    constexpr std::size_t at = sizeof "HTTP/1.1";
    int status = 0;
    if (answer.size() >= at + 3) std::from_chars(&answer[at], &answer[at] + 3, status);
    return status;
}

int connect_to(std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) fail("socket");
    if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) fail("connect");
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

class crowd {
public:
    crowd(const options& o, const std::vector<std::string>& tokens)
        : options_(o),
          tokens_(tokens),
          requests_max_(o.repeat == 0 ? SIZE_MAX : tokens.size() * o.repeat),
          paths_(read_paths(o, tokens.size())),
          head_(" HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(o.body.size()) +
                (o.body.empty() ? "" : "\r\nContent-Type: application/json") +
                "\r\nAuthorization: Bearer "),
          tail_("\r\n\r\n" + o.body),
          poll_(epoll_create1(0)),
          connections_(o.connections) {
        if (poll_ < 0) fail("epoll_create1");
        tally_.latencies_ms.reserve(std::min<std::size_t>(requests_max_, 4'000'000));
        for (std::size_t i = connections_.size(); i-- > 0;) {
            connections_[i].fd = connect_to(o.port);
            epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
            epoll_ctl(poll_, EPOLL_CTL_ADD, connections_[i].fd, &event);
            idle_.push_back(i);
        }
        alive_ = connections_.size();
    }
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;

    ~crowd() {
        for (const auto& c : connections_) {
            if (c.fd >= 0) close(c.fd);
        }
        close(poll_);
    }

    tally run() {
        constexpr auto patience = std::chrono::seconds(5);  // for the last answers
        start_ = steady::now();
        const auto end = start_ + in_clock(options_.seconds_max);
        auto now = start_;
        for (; alive_ > 0; now = steady::now()) {
            const bool over = now >= end || sent_ == requests_max_;
            if (over && (busy_ == 0 || now >= end + patience)) break;
            if (!over) ask_all(now);
            hear_all();
        }
        tally_.took_s = seconds(now - start_).count();
        tally_.unanswered = busy_;
        return std::move(tally_);
    }

private:
    static steady::duration in_clock(double s) {
        return std::chrono::duration_cast<steady::duration>(seconds(s));
    }

    void ask_all(steady::time_point now) {
        while (!idle_.empty() && sent_ < requests_max_) {
            const auto due = options_.rate > 0
                                 ? start_ + in_clock(static_cast<double>(sent_) / options_.rate)
                                 : now;
            if (due > now) return;
            ask(idle_.back(), due);
        }
    }

    void ask(std::size_t who, steady::time_point due) {
        connection& c = connections_[who];
        idle_.pop_back();
        const std::size_t buyer = sent_++ % tokens_.size();
        out_.assign("POST ").append(paths_[buyer % paths_.size()]);
        out_.append(head_).append(tokens_[buyer]).append(tail_);
        c.due = due;
        c.busy = true;
        ++busy_;
        const auto written = send(c.fd, out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (written != static_cast<ssize_t>(out_.size())) drop(c);
    }

    void hear_all() {
        std::array<epoll_event, 512> ready{};
        const int wait_ms = options_.rate > 0 ? 0 : 100;
        const int count = epoll_wait(poll_, ready.data(), static_cast<int>(ready.size()), wait_ms);
        for (int i = 0; i < count; ++i) hear(ready[static_cast<std::size_t>(i)].data.u64);
    }

    void hear(std::size_t who) {
        connection& c = connections_[who];
        if (c.fd < 0) return;
        const auto got = recv(c.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) return drop(c);
        c.in.append(buffer_.data(), static_cast<std::size_t>(got));
        const auto length = whole_answer(c.in);
        if (length == 0) return;
        if (!c.busy) return drop(c);  // an answer nobody asked for
        note(std::string_view(c.in).substr(0, length), c.due);
        c.in.erase(0, length);
        c.busy = false;
        --busy_;
        idle_.push_back(who);
    }

    void note(std::string_view answer, steady::time_point due) {
        const int status = status_of(answer);
        const bool expected =
            std::ranges::find(options_.statuses, status) != options_.statuses.end();
        if (!expected || answer.find(options_.containing) == answer.npos) ++tally_.unexpected;
        ++tally_.statuses[status];
        const std::chrono::duration<float, std::milli> latency = steady::now() - due;
        tally_.latencies_ms.push_back(latency.count());
    }

    void drop(connection& c) {
        ++tally_.errors;
        if (c.busy) --busy_;
        std::erase(idle_, static_cast<std::size_t>(&c - connections_.data()));
        close(c.fd);
        c.fd = -1;
        c.busy = false;
        --alive_;
    }

    const options& options_;
    const std::vector<std::string>& tokens_;
    const std::size_t requests_max_;
    const std::vector<std::string> paths_;
    const std::string head_, tail_;
    const int poll_;
    std::vector<connection> connections_;
    std::vector<std::size_t> idle_;  // connections free to ask
    std::size_t sent_ = 0;
    std::size_t busy_ = 0;
    std::size_t alive_ = 0;
    steady::time_point start_{};
    std::string out_;
    std::array<char, 65536> buffer_{};
    tally tally_;
};

void print(tally t) {
    std::ranges::sort(t.latencies_ms);
    const auto at = [&](double share) {
        if (t.latencies_ms.empty()) return 0.0F;
        const auto i = static_cast<std::size_t>(share * static_cast<double>(t.latencies_ms.size()));
        return t.latencies_ms[std::min(i, t.latencies_ms.size() - 1)];
    };
    std::string statuses;
    for (const auto& [status, times] : t.statuses) {
        statuses += fmt::format("{}\"{}\":{}", statuses.empty() ? "" : ",", status, times);
    }
    const auto answers = static_cast<double>(t.latencies_ms.size());
    fmt::print(
        R"({{"rate":{:.0f},"p50_ms":{:.3f},"p99_ms":{:.3f},"p999_ms":{:.3f},"max_ms":{:.3f},)"
        R"("answers":{},"unexpected":{},"unanswered":{},"errors":{},"statuses":{{{}}}}})"
        "\n",
        answers / t.took_s, at(0.5), at(0.99), at(0.999), at(1), t.latencies_ms.size(),
        t.unexpected, t.unanswered, t.errors, statuses);
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    CLI::App app("A crowd of buyers on the loopback, for load tests.");
    app.add_option("--port", o.port, "where the server listens")->required();
    auto* path = app.add_option("--path", o.path, "what to POST to, e.g. /api/v1/sales/1/orders");
    app.add_option("--paths", o.paths_file, "a file with a path for each line of the tokens")
        ->excludes(path);
    app.add_option("--body", o.body, "the JSON to POST");
    app.add_option("--tokens", o.tokens_file, "a file with one login token a line")->required();
    app.add_option("--skip", o.skip, "leave out so many tokens at the beginning");
    app.add_option("--limit", o.limit, "use only so many tokens; 0: all");
    app.add_option("--repeat", o.repeat, "how often to use each token; 0: until the time is over");
    app.add_option("--connections", o.connections)->check(CLI::Range(1, 60000));
    app.add_option("--seconds", o.seconds_max, "at most so long")->check(CLI::PositiveNumber);
    app.add_option("--rate", o.rate, "requests a second, on schedule; 0: as fast as answered");
    app.add_option("--statuses", o.statuses, "the answers expected")->delimiter(',');
    app.add_option("--containing", o.containing, "a text expected in every answer");
    CLI11_PARSE(app, argc, argv);
    try {
        const auto tokens = read_lines(o.tokens_file, o);
        const auto result = crowd(o, tokens).run();
        print(result);
        return result.unexpected + result.unanswered + result.errors == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "crowd: {}\n", error.what());
        return 1;
    }
}
