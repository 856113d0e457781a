#include "base/errc.hpp"

#include <string>

namespace floodgate {
namespace {

class floodgate_category final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "floodgate"; }

    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
        case errc::not_found: return "not found";
        case errc::already_exists: return "already exists";
        case errc::conflict: return "the present state does not allow it";
        case errc::invalid: return "invalid values";
        case errc::store_unavailable: return "store unavailable";
        case errc::corrupt: return "corrupt data";
        case errc::overloaded: return "overloaded";
        case errc::rejected: return "rejected by the store";
        case errc::fenced: return "another node has taken over";
        }
        return "unknown error";
    }
};

const floodgate_category category;

}  // namespace

boost::system::error_code make_error_code(errc e) noexcept {
    return {static_cast<int>(e), category};
}

}  // namespace floodgate
