#include "base/log.hpp"

#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/log_file.hpp"

namespace floodgate::log {
namespace {

constexpr std::size_t queue_lines_max = 8192;
constexpr const char* text_pattern = "%*%Y-%m-%dT%H:%M:%S.%eZ %l %v";
constexpr const char* journal_pattern = "%*%v";
constexpr const char* json_pattern = R"(%*{"at":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

std::atomic<bool> as_json{false};
thread_local std::string request_id;

spdlog::level::level_enum to_spdlog(level which) {
    switch (which) {
    case level::debug: return spdlog::level::debug;
    case level::info: return spdlog::level::info;
    case level::warning: return spdlog::level::warn;
    case level::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

// "<4>": the priorities of syslog, which systemd takes from the beginning of a line.
class priority_flag final : public spdlog::custom_flag_formatter {
public:
    explicit priority_flag(bool shown) : shown_(shown) {}
    void format(const spdlog::details::log_msg& line, const std::tm&,
                spdlog::memory_buf_t& to) override {
        if (!shown_) return;
        const char digit = line.level >= spdlog::level::err    ? '3'
                           : line.level == spdlog::level::warn ? '4'
                           : line.level == spdlog::level::info ? '6'
                                                               : '7';
        for (const char c : {'<', digit, '>'}) to.push_back(c);
    }
    std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<priority_flag>(shown_);
    }

private:
    const bool shown_;
};

// systemd names the device and the inode of the pipe that leads to its journal.
bool stderr_is_the_journal() {
    const char* named = std::getenv("JOURNAL_STREAM");
    struct stat about {};
    if (named == nullptr || ::fstat(STDERR_FILENO, &about) != 0) return false;
    return fmt::format("{}:{}", about.st_dev, about.st_ino) == named;
}

std::unique_ptr<spdlog::formatter> formatter_for(const options& o) {
    const bool journald = o.file.empty() && stderr_is_the_journal();
    const char* pattern = o.as == format::json                  ? json_pattern
                          : o.as == format::journal || journald ? journal_pattern
                                                                : text_pattern;
    auto out = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    out->add_flag<priority_flag>('*', o.as == format::journal || journald);
    out->set_pattern(pattern);
    return out;
}

std::shared_ptr<spdlog::logger> shaped(std::shared_ptr<spdlog::logger> logger, const options& o) {
    logger->set_formatter(formatter_for(o));
    logger->set_level(to_spdlog(o.least));
    return logger;
}

// The one piece of process-wide state: standard error is process-wide too.
std::shared_ptr<spdlog::logger>& sink() {
    static auto logger = shaped(std::make_shared<spdlog::logger>(
                                    "floodgate", std::make_shared<spdlog::sinks::stderr_sink_mt>()),
                                {});
    return logger;
}

std::shared_ptr<log_file>& file() {
    static std::shared_ptr<log_file> opened;
    return opened;
}

}  // namespace

level parse_level(std::string_view name) {
    if (name == "debug") return level::debug;
    if (name == "info") return level::info;
    if (name == "warning") return level::warning;
    if (name == "error") return level::error;
    throw std::invalid_argument("log level must be debug, info, warning or error, not '" +
                                std::string(name) + "'");
}

format parse_format(std::string_view name) {
    if (name == "text") return format::text;
    if (name == "json") return format::json;
    if (name == "journal") return format::journal;
    throw std::invalid_argument("log format must be text, json or journal, not '" +
                                std::string(name) + "'");
}

void start(const options& o) {
    std::shared_ptr<spdlog::sinks::sink> to = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    if (!o.file.empty()) to = file() = std::make_shared<log_file>(o.file);
    as_json = o.as == format::json;
    spdlog::init_thread_pool(queue_lines_max, 1);
    sink() = shaped(
        std::make_shared<spdlog::async_logger>("floodgate", to, spdlog::thread_pool(),
                                               spdlog::async_overflow_policy::overrun_oldest),
        o);
}

void reopen() {
    if (file()) file()->reopen();
}

void set_level(level least) { sink()->set_level(to_spdlog(least)); }

void stop() {
    sink()->flush();
    spdlog::shutdown();
}

bool enabled(level which) { return sink()->should_log(to_spdlog(which)); }

void write(level which, std::string_view event, std::string_view pairs) {
    const std::string of = request_id.empty() ? "" : pairs_of("request", request_id);
    if (as_json)
        sink()->log(to_spdlog(which), "\"event\":{}{}{}", json_text(event), pairs, of);
    else
        sink()->log(to_spdlog(which), "{}{}{}", event, pairs, of);
}

request_scope::request_scope(std::string id) : before_(std::exchange(request_id, std::move(id))) {}
request_scope::~request_scope() { request_id = std::move(before_); }

bool writes_json() { return as_json; }

// Bytes that are no UTF-8 are the business of what reads the line: the program logs none.
std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out.append({'\\', c});
        } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string quoted(std::string_view text) {
    const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return c > ' ' && c != '"' && c != '\\' && c != 0x7f;
    });
    if (plain) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out.append({'\\', c});
        } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace floodgate::log
