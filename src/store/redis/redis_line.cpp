// A connection of one's own: see redis::line.

#include <atomic>
#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

#include "store/redis/redis_pool.hpp"

namespace floodgate::store {
namespace {

// A descriptor that is readable from set() until clear().
class signal_flag {
public:
    signal_flag() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    }
    ~signal_flag() { ::close(fd_); }
    signal_flag(const signal_flag&) = delete;
    signal_flag& operator=(const signal_flag&) = delete;

    void set() {
        raised_ = true;
        (void)::eventfd_write(fd_, 1);
    }
    void clear() {
        eventfd_t drained = 0;
        (void)::eventfd_read(fd_, &drained);
        raised_ = false;
    }
    bool raised() const { return raised_; }
    int fd() const { return fd_; }

private:
    int fd_;
    std::atomic<bool> raised_{false};
};

class own_line final : public redis::line {
public:
    explicit own_line(redis::pool& pool) : pool_(pool) {}

    result<redis_reply> ask(std::string_view key, const words& command,
                            milliseconds wait) override {
        error_.clear();
        if (interrupted_.raised()) return make_error_code(errc::store_unavailable);
        auto reply = pool_.routed(key, [&](redis_server& to, bool asking, auto) {
            return exchange(to, command, asking, wait);
        });
        if (!reply) return reply;
        if (reply->what == redis_reply::kind::error) error_ = reply->text;
        return accepted(std::move(*reply), command.front());
    }

    result<redis_reply> hear(milliseconds wait) override {
        if (!wire_ || interrupted_.raised()) return make_error_code(errc::store_unavailable);
        auto reply = wire_->receive(steady::now() + wait, interrupted_.fd());
        if (reply) return std::move(*reply);
        if (!wire_->broken() && !interrupted_.raised()) return redis_reply{};
        wire_.reset();
        return make_error_code(errc::store_unavailable);
    }

    void interrupt() override { interrupted_.set(); }
    void resume() override { interrupted_.clear(); }
    std::string last_error() const override { return error_; }

private:
    redis_outcome exchange(redis_server& to, const words& command, bool asking, milliseconds wait) {
        if (interrupted_.raised()) return {};
        // What is left over from a subscription is not a reason to drop the connection here.
        if (wire_ && (wire_->broken() || wire_->address() != to.address())) wire_.reset();
        if (!wire_) wire_ = to.connect();
        if (!wire_) return {};
        const auto deadline = steady::now() + wait + pool_.servers.options().command_timeout;
        if (asking) wire_->append({"ASKING"});
        wire_->append(command);
        wire_->flush(deadline);
        auto reply = wire_->receive(deadline, interrupted_.fd());
        if (asking && reply) reply = wire_->receive(deadline, interrupted_.fd());
        if (reply) {
            to.answered();
            return {redis_outcome::kind::answered, std::move(*reply)};
        }
        if (!wire_->broken() && !interrupted_.raised()) to.failed("no answer in time");
        if (wire_->broken()) to.hung_up();
        wire_.reset();
        return {redis_outcome::kind::unknown, {}};
    }

    redis::pool& pool_;
    signal_flag interrupted_;
    std::unique_ptr<redis_wire> wire_;
    std::string error_;
};

}  // namespace

std::unique_ptr<redis::line> make_redis_line(redis::pool& pool) {
    return std::make_unique<own_line>(pool);
}

}  // namespace floodgate::store
