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

    // The process id is part of the name, because tests run side by side.
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

TEST_F(ConfigFileTest, TellsWhereEachOptionCameFromAndHidesSecrets) {
    write("[a]\nloops = 4\nurl = \"https://u:p@h.example/x?key=1\"\npassword = \"hush\"\n");
    config_file file(path_);
    int loops = 2, more = 7;
    std::string url, password = "usual", key_file = "key.pem";
    file.read("a.loops", loops, {0, 9});
    file.read("a.more", more, {0, 9});
    file.read("a.url", url);
    file.read("a.password", password);
    file.read("a.secret_file", key_file);
    const std::vector<config_entry> expected{
        {"a.loops", "4", "2", "file", false},
        {"a.more", "7", "7", "default", false},
        {"a.url", "\"https://h.example/x?...\"", "\"\"", "file", false},
        {"a.password", "", "", "file", true},
        {"a.secret_file", "\"key.pem\"", "\"key.pem\"", "default", false}};
    EXPECT_EQ(file.entries(), expected);
}

TEST_F(ConfigFileTest, ReadsATableWhoseNamesAreFree) {
    write("[pay]\nkeys = { \"A-1\" = \"a.pem\", B = \"b.pem\" }\nbad = { A = 7 }\nflat = \"x\"\n");
    config_file file(path_);
    std::map<std::string, std::string> keys{{"old", "gone"}}, kept = keys, other;
    file.read("pay.keys", keys);
    EXPECT_EQ(keys, (std::map<std::string, std::string>{{"A-1", "a.pem"}, {"B", "b.pem"}}));
    file.read("pay.none", kept);
    EXPECT_EQ(kept.size(), 1U);
    EXPECT_EQ(why([&] { file.read("pay.bad", other); }),
              path_ + ":3:13: pay.bad.A must be a string in quotes");
    EXPECT_EQ(why([&] { file.read("pay.flat", other); }),
              path_ + ":4:8: pay.flat must be a table of strings");
    EXPECT_EQ(why([&] { file.expect_all_read(); }), "no error");
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
    EXPECT_EQ(why([&] { file.expect_all_read(); }), path_ + ":2:1: unknown option edge.lisen");
}

TEST_F(ConfigFileTest, SaysWhatIsWrongWithAValue) {
    write("node = 99\nname = 5\n");
    config_file file(path_);
    int node = 0;
    std::string name;
    EXPECT_EQ(why([&] {
                  file.read("node", node, {0, 10});
              }),
              path_ + ":1:8: node must be from 0 to 10, not 99");
    EXPECT_EQ(why([&] { file.read("name", name); }),
              path_ + ":2:8: name must be a string in quotes");
}

TEST_F(ConfigFileTest, NamesAllUnknownKeysAndThePlaceOfTheFirst) {
    write("[edge]\nlisten = \"known\"\n  b = 1\n[edge.a]\nc = 2\n");
    config_file file(path_);
    std::string listen;
    file.read("edge.listen", listen);
    EXPECT_EQ(why([&] { file.expect_all_read(); }),
              path_ + ":5:1: unknown option edge.a.c, edge.b");
}

TEST_F(ConfigFileTest, SaysWhereAWrongValueIs) {
    write("[edge]\ntls = 1\nproxies = [\n  \"::1\",\n  2,\n]\nwait_ms = 0.5\n");
    config_file file(path_);
    bool tls = false;
    std::vector<std::string> proxies;
    std::chrono::milliseconds wait{};
    EXPECT_EQ(why([&] { file.read("edge.tls", tls); }),
              path_ + ":2:7: edge.tls must be true or false");
    EXPECT_EQ(why([&] { file.read("edge.proxies", proxies); }),
              path_ + ":5:3: edge.proxies must be a list of strings");
    EXPECT_EQ(why([&] {
                  file.read("edge.wait_ms", wait, {0, 10});
              }),
              path_ + ":7:11: edge.wait_ms must be a whole number");
}

TEST_F(ConfigFileTest, AKeyBelowAPlainValueIsAbsent) {
    write("edge = 1\n");
    config_file file(path_);
    std::string listen = "default";
    file.read("edge.listen", listen);
    EXPECT_EQ(listen, "default");
    EXPECT_EQ(why([&] { file.expect_all_read(); }), path_ + ":1:1: unknown option edge");
}

TEST_F(ConfigFileTest, ReportsBrokenTomlInOneLineWithItsPlace) {
    write("a = 1\nnode = = 3\n");
    const std::string message = why([&] { config_file file(path_); });
    EXPECT_TRUE(message.starts_with(path_ + ":2:8: ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(ConfigFileTest, ReportsAKeyThatIsThereTwice) {
    write("node = 1\nnode = 2\n");
    const std::string message = why([&] { config_file file(path_); });
    EXPECT_TRUE(message.starts_with(path_ + ":2:")) << message;
    EXPECT_NE(message.find("node"), std::string::npos) << message;
}

TEST_F(ConfigFileTest, SaysWhyAFileCannotBeRead) {
    const std::string folder = testing::TempDir();
    EXPECT_EQ(why([&] { config_file file("/nowhere/f.toml"); }),
              "/nowhere/f.toml: No such file or directory");
    EXPECT_EQ(why([&] { config_file file(folder); }), folder + ": Is a directory");
    EXPECT_EQ(why([&] { config_file file("/dev/null/f.toml"); }),
              "/dev/null/f.toml: Not a directory");
}

TEST_F(ConfigFileTest, SaysThatAFileMayNotBeRead) {
    constexpr uid_t nobody = 65534;
    write("node = 1\n");
    std::filesystem::permissions(path_, std::filesystem::perms::none);
    const uid_t before = ::geteuid();  // root, perhaps, which may read everything
    ASSERT_TRUE(before != 0 || ::seteuid(nobody) == 0);
    const std::string said = why([&] { config_file file(path_); });
    ASSERT_EQ(::seteuid(before), 0);
    EXPECT_EQ(said, path_ + ": Permission denied");
}

TEST_F(ConfigFileTest, AnEmptyFileLeavesAllDefaults) {
    write("");
    config_file file(path_);
    file.expect_all_read();
}

}  // namespace
}  // namespace floodgate
