// WeChat Pay's /v3/...: checks a request, makes the call, signs the reply.

#pragma once

#include "sandbox/call.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

// The platform must have a WeChat Pay party.
response answer_wechat(platform& p, const request& r, instant now);

// The key that signs now: the first, or with the switch wechat_second_key the second.
const pay::wechat_signer& wechat_signer_now(const platform& p);

}  // namespace floodgate::sandbox
