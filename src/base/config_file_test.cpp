#include "base/config_file.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace floodgate {
namespace {

class ConfigFileTest : public testing::Test {
protected:
    void write(const std::string& text) { std::ofstream(path_) << text; }
    ~ConfigFileTest() override { std::filesystem::remove(path_); }

    std::string why(auto&& action) {
        try {
            action();
        } catch (const config_error& e) {
            return e.what();
        }
        return "no error";
    }

    // Named by the process: tests run side by side.
    std::string path_ = fmt::format("{}floodgate_config_{}.toml", testing::TempDir(), ::getpid());
};

TEST_F(ConfigFileTest, ReadsEveryKindOfValue) {
    write(
        "node = 3\n[edge]\nlisten = \"127.0.0.1:80\"\ntls = true\nproxies = [\"::1\"]\nwait_ms = "
        "250\n");
    config_file file(path_);
    int node = 0;
    std::string listen;
    bool tls = false;
    std::vector<std::string> proxies;
    std::chrono::milliseconds wait{};
    file.read("node", node, {0, 10});
    file.read("edge.listen", listen);
    file.read("edge.tls", tls);
    file.read("edge.proxies", proxies);
    file.read("edge.wait_ms", wait, {0, 1000});
    file.expect_all_read();
    EXPECT_EQ(node, 3);
    EXPECT_EQ(listen, "127.0.0.1:80");
    EXPECT_TRUE(tls);
    EXPECT_EQ(proxies, std::vector<std::string>{"::1"});
    EXPECT_EQ(wait.count(), 250);
}

TEST_F(ConfigFileTest, LeavesDefaultsAloneWhenAKeyIsAbsent) {
    config_file file;
    int node = 7;
    file.read("node", node, {0, 10});
    file.expect_all_read();
    EXPECT_EQ(node, 7);
}

TEST_F(ConfigFileTest, NamesTheUnknownKey) {
    write("[edge]\nlisen = \"typo\"\n");
    config_file file(path_);
    EXPECT_EQ(why([&] { file.expect_all_read(); }), path_ + ": unknown option edge.lisen");
}

TEST_F(ConfigFileTest, SaysWhatIsWrongWithAValue) {
    write("node = 99\nname = 5\n");
    config_file file(path_);
    int node = 0;
    std::string name;
    EXPECT_EQ(why([&] {
                  file.read("node", node, {0, 10});
              }),
              path_ + ": node must be from 0 to 10, not 99");
    EXPECT_EQ(why([&] { file.read("name", name); }), path_ + ": name must be a string in quotes");
}

TEST_F(ConfigFileTest, ReportsBrokenTomlInOneLine) {
    write("node = = 3\n");
    const std::string message = why([&] { config_file file(path_); });
    EXPECT_NE(message.find(path_), std::string::npos);
    EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(ConfigFileTest, ReportsAMissingFile) {
    EXPECT_EQ(why([&] { config_file file("/nowhere/f.toml"); }), "/nowhere/f.toml: no such file");
}

}  // namespace
}  // namespace floodgate
