#include "engine/data_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace floodgate::engine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DataDirectoryTest : public testing::Test {
protected:
    DataDirectoryTest() {
        std::string pattern = fs::temp_directory_path() / "floodgate-data-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory");
        root_ = pattern;
        fs::permissions(root_, fs::perms(0755));
    }
    ~DataDirectoryTest() override { fs::remove_all(root_); }

    std::string why_not(const fs::path& path) {
        try {
            prepare_data_directory(path);
            return "";
        } catch (const std::runtime_error& e) {
            return e.what();
        }
    }
    static unsigned mode(const fs::path& path) {
        return static_cast<unsigned>(fs::status(path).permissions());
    }
    static void put(const fs::path& file) { std::ofstream(file) << "something\n"; }

    fs::path root_;
};

TEST_F(DataDirectoryTest, IsMadeForTheOwnerOnly) {
    EXPECT_EQ(why_not(root_ / "new/data"), "");
    EXPECT_EQ(mode(root_ / "new/data"), 0700U);
    EXPECT_EQ(mode(root_), 0755U);
}

TEST_F(DataDirectoryTest, AnEmptyOneIsTakenOver) {
    fs::create_directory(root_ / "lost+found");
    EXPECT_EQ(why_not(root_), "");
    EXPECT_EQ(mode(root_), 0700U);
}

TEST_F(DataDirectoryTest, TheDemosSandboxMayComeBeforeTheLedger) {
    fs::create_directory(root_ / "sandbox");
    EXPECT_EQ(why_not(root_), "");
    put(root_ / "letter.txt");
    EXPECT_THAT(why_not(root_), HasSubstr("not a data directory"));
}

// L9 of the security review: `--data /tmp` as root would have locked out everybody else.
TEST_F(DataDirectoryTest, SomebodyElsesIsRefusedAndLeftAlone) {
    put(root_ / "letter.txt");
    EXPECT_THAT(why_not(root_), HasSubstr("not a data directory"));
    EXPECT_EQ(mode(root_), 0755U);
}

TEST_F(DataDirectoryTest, OursIsKnownByItsLedger) {
    put(root_ / "notes.txt");
    put(root_ / "ledger.db");
    EXPECT_EQ(why_not(root_), "");
    EXPECT_EQ(mode(root_), 0700U);
}

// `--data /var/log` as root made it 0700: systemd keeps a directory of that name there.
TEST_F(DataDirectoryTest, AJournalWithoutALedgerIsRefusedAndLeftAlone) {
    fs::create_directory(root_ / "journal");
    EXPECT_THAT(why_not(root_), HasSubstr("there is a journal, but no ledger"));
    EXPECT_EQ(mode(root_), 0755U);
    put(root_ / "ledger.db");
    EXPECT_EQ(why_not(root_), "");
}

TEST_F(DataDirectoryTest, AFileIsNone) {
    put(root_ / "file");
    EXPECT_NE(why_not(root_ / "file"), "");
}

TEST_F(DataDirectoryTest, ADemoTakesOnlyWhatADemoMadeAndStaysOnThisMachine) {
    const std::string here = "127.0.0.1:8080";
    EXPECT_THROW(claim_for_demo((root_ / "new"), "0.0.0.0:8080"), std::runtime_error);
    EXPECT_THROW(claim_for_demo((root_ / "new"), "192.0.2.7:8080"), std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists((root_ / "new")));
    claim_for_demo((root_ / "new"), here);
    claim_for_demo((root_ / "new"), "localhost:0");
    prepare_data_directory((root_ / "new"));
    std::filesystem::create_directories(root_ / "real");
    std::ofstream(root_ / "real/ledger.db") << "x";
    EXPECT_THROW(claim_for_demo(root_ / "real", here), std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists(root_ / "real/demo"));
}

}  // namespace
}  // namespace floodgate::engine
