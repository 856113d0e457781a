#include "pay/authenticity.hpp"

namespace floodgate::pay {

const char* to_text(authenticity a) {
    switch (a) {
    case authenticity::genuine: return "genuine";
    case authenticity::malformed: return "malformed";
    case authenticity::without_signature: return "without_signature";
    case authenticity::wrong_algorithm: return "wrong_algorithm";
    case authenticity::probe: return "probe";
    case authenticity::stale: return "stale";
    case authenticity::unknown_serial: return "unknown_serial";
    case authenticity::bad_signature: return "bad_signature";
    case authenticity::bad_cipher: return "bad_cipher";
    }
    return "unknown";
}

}  // namespace floodgate::pay
