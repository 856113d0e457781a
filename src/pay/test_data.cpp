#include "pay/test_data.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace floodgate::pay {

std::string test_data(const std::string& name) {
    std::ifstream in(std::string(FLOODGATE_PAY_TESTDATA "/") + name, std::ios::binary);
    if (!in) throw std::runtime_error("no test data: " + name);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string test_line(const std::string& name) {
    std::string text = test_data(name);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

private_key test_private_key(const std::string& name) {
    return private_key::from_text(test_data("test_only_" + name + ".pkcs8.pem"));
}

public_key test_public_key(const std::string& name) {
    return public_key::from_text(test_data("test_only_" + name + ".public.pem"));
}

}  // namespace floodgate::pay
