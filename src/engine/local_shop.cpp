#include "engine/local_shop.hpp"

#include "base/log.hpp"

namespace floodgate::engine {

void show_catalogue(api::showcase& showcase) {
    if (const auto shown = showcase.reload(); !shown)
        log::error("engine.showcase_failed", "reason", shown.error().message());
}

}  // namespace floodgate::engine
