// What buyers' pages must know of the shop as a whole: how one can pay, and until when money comes
// back. Built once, because it never changes while the program runs.

#pragma once

#include "api/showcase.hpp"
#include "pay/channel.hpp"

namespace floodgate::api {

struct shop_facts {
    milliseconds refund_within;
    milliseconds cool_down;  // after giving units back
};
page shop_page(const pay::channels& channels, const shop_facts& facts);

}  // namespace floodgate::api
