#include "store/redis/handshake.hpp"

namespace floodgate::store {

std::vector<words> login_commands(const redis_options& options) {
    std::vector<words> out;
    if (!options.password.empty() && options.user.empty()) {
        out.push_back({"AUTH", options.password});
    } else if (!options.password.empty()) {
        out.push_back({"AUTH", options.user, options.password});
    }
    if (options.database != 0 && !options.cluster)
        out.push_back({"SELECT", std::to_string(options.database)});
    return out;
}

words proof_command(const redis_options& options) {
    const bool several = options.addresses.size() > 1 && !options.cluster;
    return {several ? "ROLE" : "PING"};
}

bool is_master(const redis_reply& role) {
    return !role.items.empty() && role.items.front().text == "master";
}

redis_failure to_failure(const std::string& address, const redis_reply& error) {
    using kind = redis_failure::kind;
    const std::string& said = error.text;
    const std::string server = address + " (Redis)";
    if (said.starts_with("LOADING")) return {kind::loading, server + " is still loading its data"};
    if (said.starts_with("WRONGPASS"))
        return {kind::refused, server + ": the user or the password is wrong"};
    if (said.starts_with("NOAUTH"))
        return {kind::refused, server + " wants a password, and none is configured"};
    if (said.find("without any password") != std::string::npos)
        return {kind::refused, server + " has no password, and one is configured"};
    return {kind::refused, server + ": " + said};
}

}  // namespace floodgate::store
