#include "journal/reader.hpp"

#include "base/log.hpp"
#include "journal/segment_name.hpp"

namespace floodgate::journal {

result<void> reader::read(const range& wanted, std::vector<sale::promise>& out) {
    const std::scoped_lock held(mutex_);
    out.clear();
    sale::sequence number{wanted.after.value + 1};
    while (out.size() < wanted.max && number <= wanted.durable) {
        if (!holds(number))
            if (auto found = seek(number); !found) return found;
        if (auto taken = take_entry(out); !taken) return taken;
        ++number.value;
    }
    return {};
}

// Whether the record in memory has this promise as its next entry.
bool reader::holds(sale::sequence number) const {
    return next_ == number && number >= record_.first && number < record_.next();
}

// Loads the record with this promise. Goes on from the present record if this promise is next.
result<void> reader::seek(sale::sequence number) {
    const bool goes_on = file_ && next_ == number && next_ == record_.next();
    const auto nearest = index_.find(number);
    if (!nearest) return make_error_code(errc::not_found);
    if (!goes_on || (nearest->segment == number && segment_ != number)) {
        if (auto opened = open(nearest->segment); !opened) return opened;
        offset_ = nearest->offset;
        next_ = nearest->next;
    }
    do {
        if (auto loaded = load_next(); !loaded) return loaded;
    } while (number >= record_.next());
    return skip_to(number);
}

result<void> reader::open(sale::sequence segment) {
    if (file_ && segment_ == segment) return {};
    record_ = {};
    auto opened = files_.open_to_read(maker_.path_of(segment_name(segment)));
    if (!opened) return make_error_code(errc::store_unavailable);
    file_ = std::move(*opened);
    segment_ = segment;
    return {};
}

// Loads and checks the record at offset_, which must begin with next_. A seal holds no promise, so
// the caller then loads the record after it.
result<void> reader::load_next() {
    record_ = {};
    bytes_.resize(record_header_bytes);
    const auto head = file_->read_at(offset_, bytes_);
    if (!head) return make_error_code(errc::store_unavailable);
    if (*head < record_header_bytes) return report_damage();
    const std::size_t payload = peek_record_header(bytes_).payload_bytes;
    if (payload > record_bytes_max) return report_damage();
    bytes_.resize(record_bytes(payload));
    const auto rest = std::span(bytes_).subspan(record_header_bytes);
    const auto body = file_->read_at(offset_ + record_header_bytes, rest);
    if (!body) return make_error_code(errc::store_unavailable);
    if (*body < rest.size()) return report_damage();
    const auto checked = read_record(bytes_);
    if (!checked || checked->first != next_) return report_damage();
    record_ = *checked;
    offset_ += bytes_.size();
    at_ = record_header_bytes;
    next_ = record_.next();
    return {};
}

result<void> reader::skip_to(sale::sequence number) {
    for (next_ = record_.first; next_ < number; ++next_.value) {
        const std::byte* at = bytes_.data() + at_;
        at_ += entry_header_bytes + take<std::uint16_t>(at);
    }
    return {};
}

result<void> reader::take_entry(std::vector<sale::promise>& out) {
    const std::byte* at = bytes_.data() + at_;
    const std::size_t size = take<std::uint16_t>(at);
    const auto promise = sale::decode_promise({at, size});
    if (!promise) return report_damage();
    out.push_back(*promise);
    at_ += entry_header_bytes + size;
    ++next_.value;
    return {};
}

result<void> reader::report_damage() const {
    log::error("journal.damage_read", "file", maker_.path_of(segment_name(segment_)), "offset",
               offset_);
    return make_error_code(errc::corrupt);
}

}  // namespace floodgate::journal
