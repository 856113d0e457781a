#include "engine/points_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "points/wire.hpp"
#include "store/http/http_client.hpp"

namespace floodgate::engine {
namespace {

constexpr bounds answer_within_ms{50, 60'000};

// The secret travels with every call: over networks of strangers only inside TLS.
std::string fault_of_points_url(const std::string& url) {
    if (std::string fault = store::fault_of_url(url); !fault.empty()) return fault;
    if (url.find_first_of("?#") != std::string::npos) return "must not have a ? or #";
    if (!url.starts_with("https:") && !store::is_private_host(store::host_of_url(url)))
        return "leads out of this machine and its private network: use https";
    return {};
}

}  // namespace

void read_points(config_file& file, points_settings& s, std::vector<std::string>& secret_files) {
    file.read("points.enabled", s.enabled);
    file.read("points.url", s.url);
    file.read("points.secret_file", s.secret_file);
    file.read("points.answer_within_ms", s.answer_within, answer_within_ms);
    if (!s.secret_file.empty()) secret_files.push_back(s.secret_file);
    if (s.url.empty()) return;
    if (const std::string fault = fault_of_points_url(s.url); !fault.empty())
        throw std::invalid_argument("points.url " + fault);
    if (s.secret_file.empty())
        throw std::invalid_argument("points.url needs points.secret_file, the secret of that side");
}

std::string read_points_secret(const std::string& path) {
    std::ifstream file(path);
    std::string secret;
    if (!file || !std::getline(file, secret))
        throw std::runtime_error(fmt::format("the points' secret cannot be read from {}", path));
    const bool plain = std::ranges::all_of(secret, [](char c) { return c > ' ' && c <= '~'; });
    if (secret.size() < points::secret_bytes_min || secret.size() > points::secret_bytes_max ||
        !plain)
        throw std::runtime_error(
            fmt::format("the points' secret in {} must be {} to {} ASCII characters without blanks",
                        path, points::secret_bytes_min, points::secret_bytes_max));
    return secret;
}

}  // namespace floodgate::engine
