// For tests: the fixture of the suites that every turnstile has to pass.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gate/turnstile_fixture.hpp"

namespace floodgate::gate {

enum class turnstile_kind : std::uint8_t { embedded = 1, redis, redis_cluster };

class TurnstileContractTest : public testing::TestWithParam<turnstile_kind> {
protected:
    void SetUp() override {
        if (GetParam() == turnstile_kind::embedded) {
            world_ = std::make_unique<embedded_world>();
        } else {
            const bool cluster = GetParam() == turnstile_kind::redis_cluster;
            FLOODGATE_NEED_REDIS(cluster);
            world_ = std::make_unique<redis_world>(store::shared_redis(cluster));
        }
        lane_ = gate().open_lane([] {});
    }
    turnstile& gate() { return world_->gate(); }

    void warm_up(const sale::sale& s) { ASSERT_TRUE(gate().warm_up(s).has_value()); }
    sale::verdict ask_one(std::int64_t sale, std::int64_t buyer, std::uint32_t quantity = 1,
                          sale::idempotency_key key = {}, instant now = opening) {
        return ask(*lane_, {{.sale = {sale}, .buyer = {buyer}, .quantity = quantity, .key = key}},
                   now)[0];
    }
    std::vector<sale::answer> answers(const std::vector<sale::attempt>& attempts) {
        std::vector<sale::answer> out;
        out.reserve(attempts.size());
        for (const auto& v : ask(*lane_, attempts)) out.push_back(v.what);
        return out;
    }

    std::unique_ptr<gate_world> world_;
    std::unique_ptr<lane> lane_;
};

inline const auto every_turnstile =
    testing::Values(turnstile_kind::embedded, turnstile_kind::redis, turnstile_kind::redis_cluster);

inline std::string name_of_turnstile(const testing::TestParamInfo<turnstile_kind>& with) {
    switch (with.param) {
    case turnstile_kind::embedded: return "Embedded";
    case turnstile_kind::redis: return "Redis";
    case turnstile_kind::redis_cluster: break;
    }
    return "RedisCluster";
}

}  // namespace floodgate::gate
