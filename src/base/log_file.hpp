// A log file that can be opened again under its name, after logrotate has renamed it.

#pragma once

#include <spdlog/sinks/base_sink.h>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>

namespace floodgate::log {

class log_file final : public spdlog::sinks::base_sink<std::mutex> {
public:
    // Appends to the file, or makes it with mode 0640. Throws std::runtime_error.
    explicit log_file(std::string path) : path_(std::move(path)), file_(open(path_)) {}

    // Throws std::runtime_error; then the old file stays open.
    void reopen() {
        auto next = open(path_);
        const std::lock_guard lock(mutex_);
        file_ = std::move(next);
    }

protected:
    // Written through: a line that waits in memory when the process is killed would be lost.
    void sink_it_(const spdlog::details::log_msg& line) override {
        spdlog::memory_buf_t text;
        formatter_->format(line, text);
        std::fwrite(text.data(), 1, text.size(), file_.get());
        std::fflush(file_.get());
    }
    void flush_() override { std::fflush(file_.get()); }

private:
    using handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    static handle open(const std::string& path) {
        const int fd = ::open(path.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0640);
        if (fd < 0)
            throw std::runtime_error("log.file " + path + ": " +
                                     std::generic_category().message(errno));
        return {::fdopen(fd, "a"), std::fclose};
    }

    const std::string path_;
    handle file_;
};

}  // namespace floodgate::log
