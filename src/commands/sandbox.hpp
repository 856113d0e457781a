// `floodgate sandbox`: plays Alipay and WeChat Pay on this machine, with play money.

#pragma once

#include <memory>
#include <string>

#include "engine/settings.hpp"

namespace floodgate::commands {

struct sandbox_options {
    std::string config;  // empty: keys of its own, made on the first start
    std::string listen = "127.0.0.1:8090";
    std::string data;
    std::string shop = "http://127.0.0.1:8080";  // where messages go, for keys of its own
};

// Serves until SIGINT or SIGTERM, which must be blocked in every thread. Prints where to look.
// Throws with one clear line that says how to mend it: a key is missing, unreadable, readable by
// others, or does not fit its other half; the port is taken.
void run_sandbox(const sandbox_options& o);

class sandbox_server;

// For `serve --demo`: a sandbox beside the shop, with keys in the data directory, and the shop's
// settings changed so that it takes the play money. Null, and nothing changed: a channel is
// configured already, the shop is a cluster's, uses TLS, or takes any free port (the sandbox must
// know where to send its messages).
std::unique_ptr<sandbox_server> start_demo_sandbox(engine::settings& s);

}  // namespace floodgate::commands
