// `floodgate sandbox`: plays Alipay and WeChat Pay on this machine, with play money.

#pragma once

#include <string>

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

}  // namespace floodgate::commands
