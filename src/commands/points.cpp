#include "commands/points.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/log.hpp"
#include "commands/end_signal.hpp"
#include "commands/points_server.hpp"
#include "commands/private_files.hpp"
#include "engine/open_ledger.hpp"
#include "engine/points_settings.hpp"
#include "guard/tokens.hpp"
#include "points/account_book.hpp"
#include "points/wire.hpp"
#include "store/files/posix_files.hpp"

namespace floodgate::commands {
namespace {

static_assert(guard::token_characters >= points::secret_bytes_min);

// The file of the secret: the configured one, or one in the data directory, made on the first
// start.
std::string keep_secret(const engine::settings& s) {
    if (!s.points.secret_file.empty()) return s.points.secret_file;
    std::string file = std::filesystem::absolute(s.data) / "points.secret";
    if (!std::filesystem::exists(file)) write_private_file(file, guard::new_token() + "\n");
    return file;
}

void print_points_welcome(const std::string& address, const std::string& secret_file) {
    fmt::print(
        "The points listen on / 积分服务监听地址 {0}\n"
        "A shop uses them with / 商家配置如下:\n"
        "  [points]\n"
        "  url = \"{0}\"\n"
        "  secret_file = \"{1}\"\n",
        address, secret_file);
    std::fflush(stdout);
}

}  // namespace

void run_points(const engine::settings& s, const std::string& listen) {
    store::posix_files files;
    const auto held = take_directory(files, s.data, "points service");
    const std::string secret_file = keep_secret(s);
    const std::string secret = engine::read_points_secret(secret_file);
    const auto database = engine::open_points_database(s);
    points::account_book book(*database);
    const points_server running(book, {.listen = listen, .secret = secret});
    log::info("commands.points_started", "address", running.address());
    print_points_welcome(running.address(), secret_file);
    wait_for_the_end();
    log::info("commands.points_stopping");
}

}  // namespace floodgate::commands
