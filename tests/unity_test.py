#!/usr/bin/python3
"""Sources that are compiled together do not get into each other's way: what cmake/unity.py keeps apart."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "cmake/unity.py"


class UnityTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name) / "src"
        (self.source / "gate").mkdir(parents=True)
        self.out = self.source.parent / "build/gate"

    def write(self, name, hidden, includes=""):
        text = f'{includes}\nnamespace floodgate::gate {{\nnamespace {{\n{hidden}\n}}  // namespace\n'
        (self.source / name).write_text(text + "int f();\n}  // namespace floodgate::gate\n")

    def groups(self, *names):
        """The names of the sources that are compiled together, for each file that is compiled."""
        done = subprocess.run([sys.executable, SCRIPT, self.source, self.out,
                               *(self.source / name for name in names)], text=True,
                              capture_output=True, check=True)
        made = []
        for path in map(pathlib.Path, done.stdout.split()):
            lines = path.read_text().splitlines() if path.parent == self.out.parent else []
            made.append([pathlib.Path(line.split('"')[1]).name for line in lines] or [path.name])
        return made

    def assert_apart(self, one, other):
        self.write("gate/a.cpp", one)
        self.write("gate/b.cpp", other)
        self.assertEqual(self.groups("gate/a.cpp", "gate/b.cpp"), [["a.cpp"], ["b.cpp"]], (one, other))

    def test_sources_without_a_common_name_are_together(self):
        self.write("gate/a.cpp", "int one(int two) { return two; }")
        self.write("gate/b.cpp", "constexpr int two = 2;\nstruct three { int one; };")
        self.assertEqual(self.groups("gate/a.cpp", "gate/b.cpp"), [["a.cpp", "b.cpp"]])

    def test_a_name_that_both_hide_keeps_them_apart(self):
        for same in ("constexpr int noon = 12;", "const int noon[] = {12};", "struct noon { int a; };",
                     "enum class noon { high };", "using noon = int;", "std::vector<int> noon;",
                     "template <class T>\nT noon(T a) { return a; }",
                     "[[nodiscard]] std::map<int, int> noon(const char* a, int b = 1) { return {}; }"):
            self.assert_apart(same, "int noon(int hour) { return hour; }")

    def test_comments_texts_and_parameters_are_no_names(self):
        self.write("gate/a.cpp", 'int one(int noon) { return noon; }\n// int two();\n'
                                 'const char* text = "int three();";')
        self.write("gate/b.cpp", "int noon();\nint two();\nint three();")
        self.assertEqual(len(self.groups("gate/a.cpp", "gate/b.cpp")), 1)

    def test_a_name_that_a_header_of_the_other_declares_keeps_them_apart(self):
        (self.source / "gate/deep.hpp").write_text("namespace floodgate::gate {\nint noon();\n}\n")
        (self.source / "gate/b.hpp").write_text('#include "gate/deep.hpp"\n')
        self.write("gate/a.cpp", "int noon(int hour) { return hour; }")
        self.write("gate/b.cpp", "int b;", '#include "gate/b.hpp"')
        self.assertEqual(len(self.groups("gate/a.cpp", "gate/b.cpp")), 2)

    def test_a_short_name_of_a_namespace_keeps_out_whoever_means_another(self):
        """`http` was Beast's in one source and ours in a header of the next."""
        (self.source / "gate/b.hpp").write_text("namespace floodgate::gate {\nhttp::time b();\n}\n")
        beast = "namespace http = boost::beast::http;"
        for hidden, includes, count in (("http::time b;", "", 2), ("", '#include "gate/b.hpp"', 2),
                                        (beast, "", 1), ("boost::http::time b;", "", 1)):
            self.write("gate/a.cpp", f"{beast}\nhttp::request a;")
            self.write("gate/b.cpp", hidden, includes)
            self.assertEqual(len(self.groups("gate/a.cpp", "gate/b.cpp")), count, (hidden, includes))

    def test_a_name_of_another_namespace_keeps_out_whoever_means_the_own_one(self):
        (self.source / "gate/b.hpp").write_text("namespace floodgate::gate {\nint to_json(int);\n}\n")
        self.write("gate/a.cpp", "using shop::to_json;\nint a = to_json(1);")
        self.write("gate/b.cpp", "int b = to_json(2);", '#include "gate/b.hpp"')
        self.assertEqual(len(self.groups("gate/a.cpp", "gate/b.cpp")), 2)
        self.write("gate/b.cpp", "using shop::to_json;\nint b = to_json(2);")
        self.assertEqual(len(self.groups("gate/a.cpp", "gate/b.cpp")), 1)

    def test_a_group_has_a_size(self):
        names = [f"gate/{n}.cpp" for n in range(20)]
        for n, name in enumerate(names):
            self.write(name, f"int name{n};")
        self.assertEqual([len(group) for group in self.groups(*names)], [12, 8])

    def test_a_file_is_not_written_again_without_need(self):
        self.write("gate/a.cpp", "int a;")
        self.write("gate/b.cpp", "int b;")
        self.groups("gate/a.cpp", "gate/b.cpp")
        made = pathlib.Path(f"{self.out}-1.cpp")
        before = made.stat().st_mtime_ns
        self.groups("gate/a.cpp", "gate/b.cpp")
        self.assertEqual(made.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
