// Alipay's /gateway.do: checks a request, runs its method, signs the answer.

#pragma once

#include "sandbox/call.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

// The platform must have an Alipay party.
response answer_alipay(platform& p, const request& r, instant now);

}  // namespace floodgate::sandbox
