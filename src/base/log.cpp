#include "base/log.hpp"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace floodgate::log {
namespace {

constexpr std::size_t queue_lines_max = 8192;
constexpr const char* line_pattern = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";

spdlog::level::level_enum to_spdlog(level which) {
    switch (which) {
    case level::debug: return spdlog::level::debug;
    case level::info: return spdlog::level::info;
    case level::warning: return spdlog::level::warn;
    case level::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

std::shared_ptr<spdlog::logger> shaped(std::shared_ptr<spdlog::logger> logger, level least) {
    logger->set_pattern(line_pattern, spdlog::pattern_time_type::utc);
    logger->set_level(to_spdlog(least));
    return logger;
}

// The one piece of process-wide state: standard error is process-wide too.
std::shared_ptr<spdlog::logger>& sink() {
    static auto logger = shaped(std::make_shared<spdlog::logger>(
                                    "floodgate", std::make_shared<spdlog::sinks::stderr_sink_mt>()),
                                level::info);
    return logger;
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

void start(level least) {
    spdlog::init_thread_pool(queue_lines_max, 1);
    sink() = shaped(std::make_shared<spdlog::async_logger>(
                        "floodgate", std::make_shared<spdlog::sinks::stderr_sink_mt>(),
                        spdlog::thread_pool(), spdlog::async_overflow_policy::overrun_oldest),
                    least);
}

void stop() {
    sink()->flush();
    spdlog::shutdown();
}

bool enabled(level which) { return sink()->should_log(to_spdlog(which)); }

void write(level which, std::string_view event, std::string_view pairs) {
    sink()->log(to_spdlog(which), "{}{}", event, pairs);
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
