// The payment sandbox as a running server: its trades on the disk, its calls over HTTP, and a
// thread that sends its messages.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/periodic_task.hpp"
#include "http/side_server.hpp"
#include "sandbox/sandbox.hpp"
#include "store/files/posix_files.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::commands {

class sandbox_server {
public:
    struct options {
        std::string listen;  // HOST:PORT
        std::string data;    // a directory; made where there is none
    };

    // Serves from now on. Throws with one clear line: the port is taken, the directory is in use by
    // another sandbox or cannot be written.
    sandbox_server(sandbox::parties who, const options& o);
    ~sandbox_server();
    sandbox_server(const sandbox_server&) = delete;
    sandbox_server& operator=(const sandbox_server&) = delete;

    const std::string& listens_on() const { return server_->address(); }  // "127.0.0.1:8090"
    std::string address() const { return "http://" + listens_on(); }

private:
    http::side_response answer(const http::side_request& r);
    next_step deliver();
    void wait(milliseconds delay);

    const wall_clock clock_;
    store::posix_files files_;
    const std::unique_ptr<store::directory_lock> lock_;
    const std::unique_ptr<store::database> trades_;
    sandbox::gateway gateway_;
    const std::unique_ptr<store::http_caller> caller_;
    const std::unique_ptr<sandbox::poster> poster_;
    periodic_task delivering_;

    std::mutex mutex_;
    std::condition_variable ending_;
    bool ends_ = false;  // guarded by mutex_

    std::unique_ptr<http::side_server> server_;  // its handlers use all of the above
};

}  // namespace floodgate::commands
