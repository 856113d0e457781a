#!/usr/bin/python3
"""Feeds every rule of shape.py its faults, and what only looks like one."""
import pathlib
import tempfile
import unittest
import unittest.mock

import shape


class ShapeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def findings(self, rule):
        return list(rule(shape.tree(self.root)))

    def judge(self, rule, name, faults, fine):
        for text in faults:
            with self.subTest(fault=text):
                self.write(name, text)
                self.assertEqual(1, len(self.findings(rule)), "the fault must be found, once")
        for text in fine:
            with self.subTest(fine=text):
                self.write(name, text)
                self.assertEqual([], self.findings(rule))

    def test_folders_depend_downwards(self):
        self.write("src/gate/turnstile.hpp")
        self.write("src/store/redis/redis.hpp")
        for name, faults, fine in [
            ("src/gate/a.cpp",
             ['#include "journal/journal.hpp"', '#include "http/server.hpp"',
              '#  include "clerk/clerk.hpp"', '#include "turnstile.hpp"',
              '#include "../store/redis/redis.hpp"', "#include <boost/beast/core.hpp>",
              "#include <boost/asio/ip/address.hpp>", '#include "store/sql/sql.hpp"',
              '#include "shop/checkout.hpp"'],
             ['#include "gate/turnstile.hpp"', '#include "sale/ids.hpp"',
              '#include "store/redis/redis.hpp"', '// #include "journal/journal.hpp"',
              "#include <journal/not_ours.h>", "#include <vector>"]),
            ("src/http/a.cpp", ['#include "store/redis/redis.hpp"', '#include "clerk/clerk.hpp"',
                                "#include <store/redis/redis.hpp>", '#include "jobs/timed_jobs.hpp"'],
             ["#include <boost/beast/core.hpp>", "#include <boost/asio/ip/tcp.hpp>",
              '#include "push/mailroom.hpp"\n#include "api/routes.hpp"']),
            ("src/api/a.cpp", ['#include "push/mailroom.hpp"', '#include "http/server.hpp"'],
             ['#include "shop/checkout.hpp"', '#include "ledger/ledger.hpp"']),
            ("src/clerk/a.cpp", ['#include "store/sql/sql.hpp"', '#include "http/server.hpp"',
                                 '#include "jobs/timed_jobs.hpp"'],
             ['#include "journal/journal.hpp"', '#include "guard/login.hpp"']),
            ("src/clerk/a_test.cpp", ['#include "http/server.hpp"'], ['#include "store/sql/sql.hpp"']),
            ("src/shop/a.cpp", ['#include "clerk/clerk.hpp"', '#include "store/sql/sql.hpp"'],
             ['#include "gate/turnstile.hpp"\n#include "ledger/ledger.hpp"']),
            ("src/journal/a.cpp", ['#include "store/redis/redis.hpp"'],
             ['#include "store/files/posix_files.hpp"']),
            ("src/sale/a.cpp", ['#include "store/files/choices.hpp"'], ['#include "base/result.hpp"']),
            ("src/store/sql/a.cpp", ['#include "sale/ids.hpp"', '#include "store/files/choices.hpp"'],
             ['#include "base/result.hpp"', '#include "store/sql/sql.hpp"']),
            ("src/base/a.cpp", ['#include "sale/ids.hpp"'], ['#include "base/result.hpp"']),
            ("src/main.cpp", ['#include "gone.hpp"', '#include "ledger/ledger.hpp"'],
             ['#include "engine/engine.hpp"\n#include "commands/check.hpp"']),
            ("src/guard/a.cpp", ['#include "engine.hpp"'], []),
        ]:
            self.judge(shape.folders_depend_downwards, name, faults, fine)
            (self.root / name).unlink()

    def test_folders_are_known(self):
        self.write("src/gate/a.cpp")
        self.assertEqual([], self.findings(shape.folders_are_known))
        self.write("src/store/redis/a.cpp")
        self.assertEqual([], self.findings(shape.folders_are_known))
        self.write("src/cart/a.cpp")
        self.assertEqual(1, len(self.findings(shape.folders_are_known)))
        self.write("src/store/paper/a.cpp")
        self.assertEqual(2, len(self.findings(shape.folders_are_known)))

    def test_only_main_is_at_the_root(self):
        self.write("src/main.cpp")
        self.write("src/gate/a.cpp")
        self.assertEqual([], self.findings(shape.only_main_is_at_the_root))
        self.write("src/settings.hpp")
        self.assertEqual(1, len(self.findings(shape.only_main_is_at_the_root)))

    def test_libraries_depend_downwards(self):
        self.judge(shape.libraries_depend_downwards, "src/gate/CMakeLists.txt",
                   ["floodgate_module(gate SOURCES a.cpp DEPENDS sale journal LINKS x)",
                    "floodgate_module(sale\n  SOURCES a.cpp\n  DEPENDS store_files)",
                    "floodgate_module(journal SOURCES a.cpp DEPENDS sale store_redis)",
                    "floodgate_module(gate SOURCES a.cpp TESTS_USE ledger DEPENDS journal)"],
                   ["floodgate_module(gate SOURCES journal.cpp DEPENDS sale store_redis LINKS journal)",
                    "floodgate_module(gate SOURCES a.cpp DEPENDS sale TESTS_USE ledger)",
                    "floodgate_module(base SOURCES a.cpp)"])

    def test_libraries_depend_on_what_they_use(self):
        self.write("src/gate/a.cpp", '#include "sale/ids.hpp"\n#include "store/redis/redis.hpp"')
        self.judge(shape.libraries_depend_on_what_they_use, "src/gate/CMakeLists.txt",
                   ["floodgate_module(gate SOURCES a.cpp DEPENDS sale base)",
                    "floodgate_module(gate SOURCES a.cpp DEPENDS store_redis store_sql)"],
                   ["floodgate_module(gate SOURCES a.cpp DEPENDS sale store_redis)"])

    def test_log_events_are_named_after_their_folder(self):
        for name, faults, fine in [
            ("src/gate/a.cpp",
             ['log::info("clerk.opened");', 'log::error(\n    "opened", "sale", 7);',
              'log::warning("gate.Opened");'],
             ['log::info("gate.opened");', 'log::error(\n    "gate.went_back", "sale", 7);']),
            ("src/store/redis/a.cpp", ['log::info("gate.lost");'],
             ['log::info("redis.lost");', 'log::info("store.lost");']),
            ("src/gate/a_test.cpp", [], ['log::info("anything");']),
        ]:
            self.judge(shape.log_events_are_named_after_their_folder, name, faults, fine)
            (self.root / name).unlink()

    def test_documents_have_short_lines(self):
        long = "word " * 23
        self.judge(shape.documents_have_short_lines, "docs/a.md",
                   [long, f"- {long}", f"> {long}"],
                   ["word " * 22, f"| {long} |", f"```\n{long}\n```", f"# {long}", "x" * 200])

    def test_nothing_banned(self):
        self.judge(shape.nothing_banned, "src/http/a.cpp",
                   ["#include <boost/asio.hpp>", "#include <boost/beast.hpp>",
                    "out << std::endl;", "async_read(stream, buffer, parser.get(), token);",
                    "http::async_read_some(stream,\n    buffer, request_parser_->get());"],
                   ["#include <boost/asio/awaitable.hpp>", "// std::endl flushes",
                    'log("std::endl");', "async_read(stream, buffer, parser, token);",
                    "async_read(stream, buffer, parser);\nauto m = parser.get();"])

    def test_co_await_stands_beside_names_calls_and_literals(self):
        self.judge(
            shape.co_await_stands_beside_names_calls_and_literals, "src/http/a.cpp",
            ["co_await f(order{a, b});", "co_await f({a, b});", "co_await f({.a = 1});",
             "co_await f(x, {a});", "co_await f(std::vector<int>{1});",
             "co_await f([s] { return s; });", "co_await f([this](int x) { g(x); });",
             "co_await async_initiate<void()>([s](auto h) { s->go(h); }, token);",
             "co_spawn(make_strand(co_await this_coro::executor), [s = x] { go(s); }, h);",
             "auto v = x ? co_await a() : co_await b();", "co_await f(x ? 1 : 2);",
             "g(order{a, b}, co_await f());", "g([s] { return s; }, co_await f());",
             "if (co_await f(order{a})) { go(); }", "co_return co_await f(\n    order{a, b},\n    c);"],
            ["co_await f(order(a, b));", "co_await f(std::move(named));", "co_return order{a, b};",
             "auto r = co_await f(); g(order{a});", "if (co_await f()) { g(order{a}); }",
             "while (co_await f()) {\n  x = y ? 1 : 2;\n  g([s] { return s; });\n}",
             "if (auto r = co_await f(); r) { g({a}); }",
             "for (auto& x : co_await f()) { g(order{x}); }",
             "co_spawn(e, [s]() -> awaitable<void> { co_await s->run(); }, handler);",
             "void g() { h(order{a}); }\nawaitable<void> f() { co_await a(); }",
             "order o{a, b};\nco_await f(o);", "co_await f(table[i], matrix[i][j]);",
             'co_await f("really? {no} [x](y)");  // order{a}? [s] {', "co_await f('?');",
             "co_await f(a) || co_await g(1'000'000);",
             "if (a) { b = order{c}; } else { co_await f(); }"])

    def test_files_and_lines_are_short(self):
        self.judge(shape.files_and_lines_are_short, "src/gate/a.cpp",
                   ["x\n" * 401, "x" * 101], ["x\n" * 400, "x" * 100, "数" * 100])

    def test_nothing_left_to_fix(self):
        mark = "FIX" + "ME"
        self.judge(shape.nothing_left_to_fix, "tests/engine/a.cpp",
                   [f"// {mark}: later"], [f"int {mark}_count;"])

    def test_folders_have_meaning(self):
        for fault in ["utils", "impl", "manager", "helpers"]:
            with self.subTest(fault=fault):
                self.write(f"src/gate/{fault}/a.cpp")
                self.assertEqual(1, len(self.findings(shape.folders_have_meaning)))
                (self.root / f"src/gate/{fault}/a.cpp").unlink()
        self.write("src/gate/implications/manager.cpp")
        self.assertEqual([], self.findings(shape.folders_have_meaning))

    def test_enums_start_at_one(self):
        self.judge(shape.enums_start_at_one, "src/sale/a.hpp",
                   ["enum class errc { not_found };", "enum class a : std::uint8_t { x = 0, y };",
                    "enum class errc {\n    // first\n    not_found,\n};",
                    "enum class [[nodiscard]] e : int { x = 10 };"],
                   ["enum class errc { not_found = 1 };", "enum class a : std::uint8_t { x = 1u, y };",
                    "enum class errc {\n    // first\n    not_found = 1,\n};",
                    "enum class a : int;", "enum class flags { none };  // shape: zero",
                    "enum class flags {\n    none,  // shape: zero\n    one,\n};",
                    "// enum class errc { not_found };"])

    def test_source_folders_have_a_readme(self):
        self.write("src/gate/a.cpp")
        self.write("src/main.cpp")
        self.assertEqual(1, len(self.findings(shape.source_folders_have_a_readme)))
        self.write("src/gate/README.md")
        self.assertEqual([], self.findings(shape.source_folders_have_a_readme))

    def test_sources_are_built(self):
        self.write("src/gate/a.cpp")
        self.write("src/gate/a_test.cpp")
        self.write("tests/fuzz/http_fuzz.cpp")
        self.write("tests/CMakeLists.txt", "floodgate_fuzz(http edge)")
        self.judge(shape.sources_are_built, "src/gate/CMakeLists.txt",
                   ["floodgate_module(gate SOURCES a.cpp)", "SOURCES a.cpp TESTS aa_test.cpp"],
                   ["SOURCES a.cpp TESTS a_test.cpp", "a.cpp\na_test.cpp"])

    def test_nothing_of_this_machine(self):
        home, registry = "/" + "root/", "registry." + "npmjs.org"
        self.judge(shape.nothing_of_this_machine, "docs/a.md",
                   [f"cd {home}x", f'"{home}.ssh"', "/" + "home/me/data", "=/" + "work/main",
                    f"https://{registry}/vue", "deb http://deb." + "debian.org/debian",
                    "https://mirrors." + "example.cn/debian", str(self.root) + "/x"],
                   ["https://example.org/home/page", "framework/root/x", "$HOME/x", "~/jobs/x",
                    "https://www.debian.org/", "the mirror. of it", "src/home/a.cpp"])

    def test_nothing_of_this_machine_looks_at_package_sources(self):
        self.write("docs/a.md", "from packages.corp.example today")
        self.assertEqual([], self.findings(shape.nothing_of_this_machine))
        with unittest.mock.patch.object(shape, "own_places", lambda _: {"packages.corp.example"}):
            self.assertEqual(1, len(self.findings(shape.nothing_of_this_machine)))

    def test_documents_point_at_files(self):
        self.write("src/gate/gate.hpp")
        self.judge(shape.documents_point_at_files, "docs/a.md",
                   ["[gate](../src/gate/gone.hpp)", "[gate](../src/gate/gone.hpp#x)",
                    "see `src/gate/gone.hpp`", "`src/gone/`"],
                   ["[gate](../src/gate/gate.hpp)", "[gate](../src/gate/gate.hpp#lines)",
                    "[top](#top)", "[x](https://example.org/gone)", "see `src/gate/gate.hpp`",
                    "`src/gate/`", "`build/release/floodgate`", "```\n[a](gone.md)\n```"])

    def test_readmes_agree(self):
        self.write("README.md", "# A\n## B\n```\n# a comment\n```\n")
        self.judge(shape.readmes_agree, "README.zh-CN.md",
                   ["# 甲\n", "# 甲\n# 乙\n", "# 甲\n## 乙\n## 丙\n"], ["# 甲\n## 乙\n"])

    def test_the_readmes_come_together(self):
        self.write("README.md", "# A")
        self.assertEqual(1, len(self.findings(shape.readmes_agree)))

    def test_every_rule_has_a_test(self):
        tests = "\n".join(dir(self))
        for rule in shape.RULES:
            self.assertIn(f"test_{rule.__name__}", tests)


if __name__ == "__main__":
    unittest.main()
