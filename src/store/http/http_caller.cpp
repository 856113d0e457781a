#include "store/http/http_caller.hpp"

#include <algorithm>
#include <mutex>

#include "store/http/curl_rules.hpp"
#include "store/http/http_client.hpp"

namespace floodgate::store {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// An answer while it comes in.
struct incoming {
    const http_caller_options& limits;
    http_answer answer;
    std::size_t header_bytes = 0;
    bool too_long = false;
};

// Both: returning less than was offered ends the transfer.
std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& in = *static_cast<incoming*>(user);
    in.too_long = size * count > in.limits.answer_bytes_max - in.answer.body.size();
    if (in.too_long) return 0;
    in.answer.body.append(bytes, size * count);
    return size * count;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& in = *static_cast<incoming*>(user);
    in.header_bytes += size * count;
    in.too_long = in.header_bytes > in.limits.header_bytes_max;
    if (in.too_long) return 0;
    const std::string_view line(bytes, size * count);
    // The first line of an answer. Before it there may have been another with status 100.
    if (line.starts_with("HTTP/")) in.answer.headers.clear();
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
        in.answer.headers.emplace_back(trimmed(line.substr(0, colon)),
                                       trimmed(line.substr(colon + 1)));
    return size * count;
}

bool is_one_line(std::string_view text) {
    constexpr std::string_view ends("\r\n\0", 3);
    return text.find_first_of(ends) == std::string_view::npos;
}

std::string fault_of_question(const http_question& q) {
    if (std::string fault = fault_of_url(q.url); !fault.empty()) return "the address " + fault;
    const bool whole = std::ranges::all_of(
        q.headers, [](const auto& h) { return is_one_line(h.first) && is_one_line(h.second); });
    return whole ? std::string() : "a header is more than one line";
}

curl_owned<curl_slist> lines_of(const http_headers& headers) {
    std::vector<std::string> lines;
    lines.reserve(headers.size() + 1);
    // libcurl would take "Name:" as an order to leave the header out.
    for (const auto& [name, value] : headers)
        lines.push_back(value.empty() ? name + ";" : name + ": " + value);
    lines.emplace_back("Expect:");  // small bodies: no "100 Continue" beforehand
    return header_lines(lines);
}

void set_question(CURL* c, const http_question& q) {
    curl_easy_setopt(c, CURLOPT_URL, q.url.c_str());
    if (q.verb == "GET") {
        curl_easy_setopt(c, CURLOPT_HTTPGET, 1L);
        return;
    }
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(q.body.size()));
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, q.body.c_str());
    if (q.verb != "POST") curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, q.verb.c_str());
}

http_answer without_answer(std::string why) {
    http_answer a;
    a.error = std::move(why);
    return a;
}

http_answer perform(CURL* c, const http_question& q, const http_caller_options& options) {
    curl_easy_reset(c);  // forgets the options and keeps the connections
    address_policy addresses{options.allow_private};
    incoming in{.limits = options, .answer = {}};
    const curl_owned<curl_slist> lines = lines_of(q.headers);
    set_rules(c, {options.connect, options.total}, addresses);
    set_question(c, q);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, lines.get());
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, &take_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, &in);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, &take_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, &in);

    const CURLcode done = curl_easy_perform(c);
    if (in.too_long) return without_answer("the answer is too long");
    if (addresses.refused) return without_answer(private_address_refused);
    if (done != CURLE_OK) return without_answer(curl_easy_strerror(done));
    long status = 0;
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    in.answer.status = static_cast<int>(status);
    return std::move(in.answer);
}

}  // namespace

std::string_view http_answer::header(std::string_view name) const {
    const auto found = std::ranges::find_if(headers, [&](const auto& h) {
        return std::ranges::equal(h.first, name, {}, lower, lower);
    });
    return found == headers.end() ? std::string_view() : found->second;
}

struct curl_caller::idle_transfers {
    std::mutex mutex;
    std::vector<curl_owned<CURL>> all;

    curl_owned<CURL> take() {
        const std::scoped_lock held(mutex);
        if (all.empty()) return nullptr;
        curl_owned<CURL> last = std::move(all.back());
        all.pop_back();
        return last;
    }
    void give_back(curl_owned<CURL> c, std::size_t max) {
        const std::scoped_lock held(mutex);
        if (all.size() < max) all.push_back(std::move(c));
    }
};

curl_caller::curl_caller(http_caller_options options)
    : options_(options), idle_(std::make_unique<idle_transfers>()) {}

curl_caller::~curl_caller() = default;

http_answer curl_caller::ask(const http_question& q) {
    if (std::string fault = fault_of_question(q); !fault.empty()) return without_answer(fault);
    curl_owned<CURL> c = idle_->take();
    if (!c) c = new_transfer();
    http_answer answer = perform(c.get(), q, options_);
    idle_->give_back(std::move(c), options_.idle_max);
    return answer;
}

}  // namespace floodgate::store
