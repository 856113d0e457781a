#include "api/detail_zh.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace floodgate::api {
namespace {

struct entry {
    std::string_view en;  // {} stands for a name or number
    std::string_view zh;  // its {} are filled in the same order, {0}, {1} ... in any order
};

// The first entry that fits is used, so that of two patterns the narrower one comes first.
constexpr entry table[] = {
    // bodies
    {"the body is not valid JSON: {}", "请求体不是有效的 JSON：{}"},
    {"the body must be a JSON object", "请求体必须是 JSON 对象"},
    {"the field {} stands there twice", "字段 {} 重复出现"},
    {"there is no field {}", "没有字段 {}"},
    {"{} is missing", "缺少 {}"},
    {"{} must have {} to {} bytes", "{} 的长度须为 {} 到 {} 字节"},
    {"{} must not have control characters", "{} 不能含控制字符"},
    {"{} must not have hidden characters", "{} 不能含不可见字符"},
    {"{} must not be blank", "{} 不能为空白"},
    {"{} must be addresses with http:// or https://, or paths that begin with /",
     "{} 须为以 http:// 或 https:// 开头的地址，或以 / 开头的路径"},
    {"{} must be a text", "{} 须为文本"},
    {"{} must be a whole number from {} to {}", "{} 须为 {} 到 {} 的整数"},
    {"{} must be true or false", "{} 须为 true 或 false"},
    {"{} must be a list of at most {} texts", "{} 须为至多 {} 个文本的列表"},
    {"{} must hold texts only", "{} 只能包含文本"},
    {"{} must be a time like {}", "{} 须为形如 {} 的时间"},
    {"the body of this call may have {} bytes", "此接口的请求体至多 {} 字节"},
    {"role must be admin, operator, viewer, support or buyer",
     "role 须为 admin、operator、viewer、support 或 buyer"},
    {"role must be admin, operator, viewer or support",
     "role 须为 admin、operator、viewer 或 support"},
    {"this is the last active admin", "这是最后一位可用的管理员"},
    {"the code is wrong or was used already", "验证码错误或已使用过"},
    // HTTP
    {"the request line is longer than allowed", "请求行过长"},
    {"the request head is larger than allowed", "请求头过大"},
    {"the path is too long", "路径过长"},
    {"incomplete request head", "请求头不完整"},
    {"exactly one Host header is needed", "必须有且仅有一个 Host 头"},
    {"more than one Content-Length", "出现多个 Content-Length"},
    {"more than one Idempotency-Key", "出现多个 Idempotency-Key"},
    {"only 100-continue can be expected of us", "Expect 仅支持 100-continue"},
    {"a chunk header is too large", "分块头过大"},
    {"a chunk header or trailer is too large", "分块头或尾部过大"},
    {"nothing may follow the request before it is answered", "收到答复之前不能再发送内容"},
    {"the request must not be pipelined behind another", "此请求不能排在其他请求之后一并发送"},
    {"this address speaks WebSocket, version 13, only", "此地址仅支持 WebSocket 第 13 版"},
    {"Sec-WebSocket-Key must be 16 bytes in base64", "Sec-WebSocket-Key 须为 16 字节的 base64"},
    {"pages of this Origin may not open a WebSocket here", "此来源的页面不能在此建立 WebSocket"},
    // orders and money
    {"while must be the status of an order, such as queued or unpaid",
     "while 须为订单状态，如 queued 或 unpaid"},
    {"status must be the status of an order, such as paid", "status 须为订单状态，如 paid"},
    {"the oldest event that is still kept is {}", "仍保留的最早事件为 {}"},
    {"the order is still being entered", "订单仍在入账"},
    {"the time to pay is over", "支付时限已过"},
    {"the time to give it back is over", "退款时限已过"},
    {"the order is being closed", "订单正在关闭"},
    {"the order is to be paid in points", "此订单须用积分支付"},
    {"the order has no price in points", "此订单没有积分价格"},
    {"the order costs {} points", "此订单需要 {} 积分"},
    {"at most {} fen can be given back", "至多可退 {} 分"},
    {"the order was paid in points, which go back only all together",
     "此订单以积分支付，只能全额退回"},
    {"no such way to pay; there are: {}", "没有这种支付方式；可用：{}"},
    {"the order is {}", "订单状态为 {}"},
    {"the body must have order_no, a text of digits, and amount_fen, a whole number, and nothing "
     "else",
     "请求体须含 order_no（数字文本）和 amount_fen（整数），不得有其他字段"},
    {"channel must be alipay or wechat: whose bill it is",
     "channel 须为 alipay 或 wechat，即账单来源"},
    {"the body must be the bill, a CSV file", "请求体须为账单 CSV 文件"},
    {"this shop has no points", "本店没有积分"},
    {"this request was used for another grant", "此 request 已用于另一次发放"},
    {"reason must be one line of text, request printable ASCII without blanks",
     "reason 须为一行文本，request 须为不含空格的可见 ASCII 字符"},
    {"the account would hold too many points", "账户积分将超过上限"},
    {"only {} points are available", "可用积分仅 {}"},
    {"fewer points are available", "可用积分不足"},
    {"amount must not be 0", "amount 不能为 0"},
    // bills
    {"the file has more than {} bytes", "文件超过 {} 字节"},
    {"the file has no table: is this a bill?", "文件中没有表格：这是账单吗？"},
    {"the file is not UTF-8, and this machine cannot read GBK: convert it to UTF-8 first",
     "文件不是 UTF-8，本机又无法读取 GBK：请先转换为 UTF-8"},
    {"neither UTF-8 nor GBK", "既不是 UTF-8 也不是 GBK"},
    {"the bill has no column {}", "账单缺少列 {}"},
    {"no column {}: is this the right kind of bill?", "没有列 {}：账单种类是否正确？"},
    {"{} is not an amount", "{} 不是金额"},
    {"{} is more than any payment", "{} 超过任何一笔支付"},
    {"{} is not a time", "{} 不是时间"},
    {"the number of a trade is too long", "交易号过长"},
    {"the channel's number of the trade is missing", "缺少渠道交易号"},
    {"{} is not a known kind of business", "{} 不是已知的业务类型"},
    {"{} is not a known state", "{} 不是已知的状态"},
    {"the currency is not CNY", "币种不是 CNY"},
    {"the quotes do not fit", "引号不匹配"},
    {"{} fields, but {} columns", "有 {} 个字段，但有 {} 列"},
    {"the sum says {} rows, but there are {}: parts are missing",
     "汇总为 {} 行，实际只有 {} 行：内容不完整"},
    {"more than {} rows", "超过 {} 行"},
    // accounts
    {"phone must be digits, after an optional +", "手机号须为数字，前面可加 +"},
    {"phone must have {} digits or more", "手机号至少 {} 位"},
    {"phone must have {} digits or fewer", "手机号至多 {} 位"},
    {"password must have {} characters or more", "密码至少 {} 个字符"},
    {"password must have {} bytes or fewer", "密码至多 {} 字节"},
    {"password must not be the phone number", "密码不能与手机号相同"},
    {"password must not be one of the commonest", "密码过于常见"},
    {"new_password must differ from the old one", "新密码不能与旧密码相同"},
    {"nickname must not be empty", "昵称不能为空"},
    {"nickname must have {} bytes or fewer", "昵称至多 {} 字节"},
    {"nickname must be valid UTF-8", "昵称须为有效的 UTF-8"},
    {"nickname must not be a name of the shop's staff", "昵称不能冒用店铺工作人员的名称"},
    // catalogue
    {"ends_at must be later than starts_at", "ends_at 须晚于 starts_at"},
    {"after must be the `next` of an earlier page", "after 须为前一页的 next"},
    {"there is no such product or round", "商品或场次不存在"},
    {"the product is in that round already", "该商品已在此场次中"},
    {"the limit of a published sale can only be raised", "已发布秒杀商品的限购数只能调高"},
    {"the sale is {}", "秒杀商品的状态为 {}"},
    {"one is running already", "已有一个正在执行"},
    {"only {} units are free", "仅有 {} 件可售"},
    {"the stock must be from 0 to {}", "库存须在 0 到 {} 之间"},
    {"delta must not be 0", "delta 不能为 0"},
    {"the product is in that round already, or another sale has this external_id",
     "该商品已在此场次中，或已有秒杀商品使用此 external_id"},
    {"the product is in that round already, as another sale", "该商品已作为另一秒杀商品在此场次中"},
    {"another product has this external_id", "已有商品使用此 external_id"},
    {"another round has this external_id", "已有场次使用此 external_id"},
    {"another sale has this external_id", "已有秒杀商品使用此 external_id"},
    {"{} must have visible ASCII characters only, no blanks",
     "{} 只能含可见 ASCII 字符，不能有空格"},
    {"{} must be an object with at most {} members", "{} 须为至多 {} 个成员的对象"},
    {"{} must be an object", "{} 须为对象"},
    {"the names in {} must have 1 to {} bytes and no control characters",
     "{} 中的名称须为 1 到 {} 字节，不能含控制字符"},
    {"the values in {} must be texts, numbers, true or false",
     "{} 中的值须为文本、数字、true 或 false"},
    {"{} must have at most {} bytes as JSON", "{} 的 JSON 至多 {} 字节"},
    {"from and to must be times like {}", "from 和 to 须为形如 {} 的时间"},
    {"state must be coming, open or over", "state 须为 coming、open 或 over"},
    {"state must be draft, published, paused or ended",
     "state 须为 draft、published、paused 或 ended"},
    {"a new product needs a {}", "新商品需要 {}"},
    {"a new sale needs a {}", "新秒杀商品需要 {}"},
    {"there is no product with the external id {}", "没有 external_id 为 {} 的商品"},
    {"there is no round with the external id {}", "没有 external_id 为 {} 的场次"},
    {"a round must end later than it starts", "场次的结束须晚于开始"},
    {"the round {} has another title or window", "场次 {} 的标题或时间不同"},
    {"the sale exists with another product or round, which cannot change",
     "该秒杀商品已存在，商品或场次不同，且不能更改"},
    {"a value is out of bounds", "有值超出范围"},
    {"the sale has ended", "该秒杀商品已结束"},
    {"the sale was changed at the same time", "该秒杀商品同时被更改"},
    {"the sale cannot be published", "该秒杀商品无法发布"},
    {"there is no such sale", "没有该秒杀商品"},
    {"fewer units are free than would have to be removed", "可售件数少于须移除的件数"},
    {"the gate or the ledger cannot be reached now", "闸门或账本暂时无法访问"},
    {"nothing of this batch was written: send it again", "此批次未写入任何内容，请重新发送"},
    {"a line may have {} bytes", "每行至多 {} 字节"},
    {"a batch may have {} lines", "每批至多 {} 行"},
    {"there is no parameter {}; this call has none", "没有参数 {}；此接口没有参数"},
    {"there is no parameter {}; there are {}", "没有参数 {}；可用参数：{}"},
    {"there is a parameter with an unreadable name; this call has none",
     "有参数名称无法识别；此接口没有参数"},
    {"there is a parameter with an unreadable name; there are {}",
     "有参数名称无法识别；可用参数：{}"},
    {"a picture may have {} bytes", "图片至多 {} 字节"},
    {"the body must be a PNG, JPEG or WebP picture", "请求体须为 PNG、JPEG 或 WebP 图片"},
    {"a picture may be {} pixels large", "图片尺寸至多 {} 像素"},
    // operations
    {"the letter is {} already", "该死信已是 {}"},
    {"the ledger still does not take it; see the log", "账本仍不接受，请查看日志"},
    {"state must be waiting, dead, replayed or discarded",
     "state 须为 waiting、dead、replayed 或 discarded"},
    // API keys and accounts
    {"this call needs an API key", "此接口需要 API 密钥"},
    {"this API key lacks the scope for the call", "此 API 密钥没有该接口所需的权限范围"},
    {"there are too many keys: revoke some first", "密钥过多：请先吊销一些"},
    {"scopes must be words among catalogue, orders, logins, payment, each at most once",
     "scopes 须取自 catalogue、orders、logins、payment，每个至多一次"},
    {"scopes must have one word or more", "scopes 至少须有一项"},
    {"expires_at must be in the future", "expires_at 须为将来的时间"},
    {"external_id must be printable ASCII without blanks",
     "external_id 须为不含空格的可打印 ASCII 字符"},
    {"this account has no password", "此账号没有密码"},
    {"you cannot disable yourself", "不能停用自己的账号"},
    {"the personal data of this user was removed", "该用户的个人数据已删除"},
    {"only buyers can be forgotten: take the role away first",
     "只能删除买家的个人数据：请先取消其员工角色"},
    {"a repair needs a note: why", "修复须附说明（note）：原因"},
};

using texts = std::vector<std::string_view>;

texts pieces_of(std::string_view pattern) {
    texts out;
    for (std::size_t at; (at = pattern.find("{}")) != pattern.npos; pattern.remove_prefix(at + 2))
        out.push_back(pattern.substr(0, at));
    out.push_back(pattern);
    return out;
}

// What stands in the places of the pattern; empty if the text does not fit.
std::optional<texts> fit(std::string_view pattern, std::string_view text) {
    const texts pieces = pieces_of(pattern);
    if (pieces.size() == 1) return text == pattern ? std::optional<texts>(texts{}) : std::nullopt;
    if (!text.starts_with(pieces.front())) return std::nullopt;
    text.remove_prefix(pieces.front().size());
    texts found;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        const bool last = i + 1 == pieces.size();
        if (last && !text.ends_with(pieces[i])) return std::nullopt;
        const std::size_t end = last ? text.size() - pieces[i].size() : text.find(pieces[i]);
        if (end == text.npos || end == 0) return std::nullopt;
        found.push_back(text.substr(0, end));
        text.remove_prefix(end + pieces[i].size());
    }
    return found;
}

std::string fill(std::string_view pattern, const texts& values) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t at; (at = pattern.find('{')) != pattern.npos;) {
        out += pattern.substr(0, at);
        const bool numbered = pattern[at + 1] != '}';
        const std::size_t which =
            numbered ? static_cast<std::size_t>(pattern[at + 1] - '0') : next++;
        out += values.at(which);
        pattern.remove_prefix(at + (numbered ? 3 : 2));
    }
    return out.append(pattern);
}

}  // namespace

std::optional<std::string> in_chinese(std::string_view detail) {
    if (const auto parts = fit("line {}: {}", detail))  // what is wrong with a line of a file
        if (const auto fault = in_chinese(parts->back()))
            return fill("第 {} 行：{}", {parts->front(), *fault});
    for (const entry& e : table)
        if (const auto values = fit(e.en, detail)) return fill(e.zh, *values);
    return std::nullopt;
}

}  // namespace floodgate::api
