#!/usr/bin/python3
"""Checks what the compiler does not: the shape of the house.

    tests/shape.py [ROOT]      prints file:line: what is wrong, and how many rules hold

Every rule is one function below; shape_test.py feeds each its faults and their look-alikes.
Function length and names are clang-tidy's business.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys

LINES_MAX, COLUMNS_MAX = 400, 100

# The diagram in docs/architecture.md. A folder may always use itself. Stations never know each
# other, and each knows only the stores it needs.
STORES = {"store/files", "store/sql", "store/redis", "store/rabbit", "store/http"}
STATIONS = {
    "guard": {"store/redis"},
    "gate": {"store/redis"},
    "journal": {"store/files"},
    "queue": {"store/redis", "store/rabbit"},
    "cluster": {"store/redis"},
    "ledger": {"store/sql"},
    "points": {"store/sql", "store/http"},
    "pay": {"store/http"},
    "alarm": {"store/http"},
}
BELOW_SHOP = set(STATIONS) | {"sale", "base"}
MAY_USE = {
    "base": set(),
    **{store: {"base"} for store in STORES},
    "sale": {"base"},
    **{station: stores | {"sale", "base"} for station, stores in STATIONS.items()},
    "shop": BELOW_SHOP,
    "clerk": BELOW_SHOP | {"shop"},
    "jobs": BELOW_SHOP | {"shop", "clerk"},
    "api": BELOW_SHOP | {"shop"},
    "push": BELOW_SHOP | {"shop", "api"},
    "http": BELOW_SHOP | {"shop", "api", "push"},
}
MAY_USE["sandbox"] = {"pay", "sale", "base", "store/sql"}  # plays the channels; knows no shop
MAY_USE["engine"] = set(MAY_USE) | STORES
MAY_USE["commands"] = set(MAY_USE)
MAY_USE["pages"] = {"base"}  # the built pages as bytes
MAY_USE["main"] = {"engine", "pages", "commands", "http", "base", "sale"}  # src/main.cpp, alone at the root
LOGS_AS = {  # A log event is named after its folder; of the stores, after the kind of store too.
    store: ("store", store.removeprefix("store/")) for store in STORES}
BANNED = {  # a pattern: what to do instead
    r"#\s*include\s*<boost/(asio|beast)\.hpp>": "include the header you need, not the umbrella",
    r"async_read\w*\s*\([^;]*\w*parser\w*(\.|->)get\(\)":
        "pass the parser itself, or its body limit is ignored",
    r"\bstd::endl\b": "write '\\n'",
}
BESIDE_CO_AWAIT = {  # gcc 12 destroys these temporaries twice. Name them on the line above.
    r"(?<![\w\])\[])\[[^\[\]]+\]\s*[({]": "no capturing lambda beside co_await",
    r"[\w>]\{|[(,]\s*\{": "no braced temporary beside co_await",
    r"\?": "no ?: beside co_await",
}
BAD_FOLDERS = re.compile(r"utils?|impl|managers?|helpers?")
REGISTRIES = re.compile(  # Where packages come from is the machine's business, not the project's.
    r"\b(?:(?:deb|security|snapshot|archive|ftp)\.debian\.org|archive\.ubuntu\.com"
    r"|registry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)|pypi\.org|files\.pythonhosted\.org"
    r"|mirrors?\.[\w-]+\.[\w.-]+)")
HOMES = re.compile(r"(?<![\w.:/~}-])/(?:root|home|work|Users)/")
PUBLIC_HOSTS = {"github.com", "gitlab.com", "localhost"}


class tree:
    """The files of a checkout: what git tracks, or without git whatever is there."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        if (self.root / ".git").exists():
            listed = subprocess.run(["git", "-C", self.root, "ls-files", "-z"],
                                    check=True, capture_output=True, text=True).stdout
            names = [name for name in listed.split("\0") if name]
        else:
            names = [str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()]
        self.names = sorted(name for name in names if (self.root / name).is_file())

    @functools.lru_cache(maxsize=None)
    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    @functools.lru_cache(maxsize=None)
    def code(self, name):
        return without_comments_and_strings(self.text(name))

    def sources(self, *tops):
        return [n for n in self.names
                if n.endswith((".hpp", ".cpp")) and n.split("/")[0] in (tops or ("src",))]

    def named(self, ending):
        return [n for n in self.names if n.endswith(ending)]


def without_comments_and_strings(text):
    """Keeps every line where it was. Knows raw strings and 1'000'000."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                       r"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.DOTALL)
    include = re.compile(r'#\s*include\s*"[^"\n]*"')

    def blank(found):
        if include.fullmatch(text[text.rfind("\n", 0, found.start()) + 1:found.end()].strip()):
            return found[0]
        filler = "" if found[0].startswith("/") else '""'
        return filler + "\n" * found[0].count("\n")
    return token.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


# The rules: each yields (file, line, what is wrong).

def folder_of(name):
    """"gate" for src/gate/a.cpp, "store/redis" for src/store/redis/a.hpp, "main" for src/main.cpp."""
    parts = pathlib.PurePath(name.removeprefix("src/")).parts
    if len(parts) == 1:
        return "main"
    return "/".join(parts[:2]) if parts[0] == "store" and len(parts) > 2 else parts[0]


def folders_depend_downwards(files):
    for name in files.sources():
        folder = folder_of(name)
        for number, line in enumerate(files.code(name).splitlines(), 1):
            used = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line)
            if not used:
                continue
            top, quoted = folder_of(used[1]), '"' in line
            if quoted and (top not in MAY_USE or top == "main"):
                yield name, number, 'write "folder/file.hpp", seen from src/; <...> for what is not ours'
            elif name.endswith("_test.cpp") and top in STORES:
                pass  # A test may look into a store, or open one.
            elif top in MAY_USE and folder in MAY_USE and top not in MAY_USE[folder] | {folder}:
                if quoted or f"src/{used[1]}" in files.names:
                    yield name, number, f"{folder}/ may not use {top}/"
            if re.match(r"boost/(beast|asio)/", used[1]) and folder not in ("http", "main"):
                yield name, number, "only http/ knows Beast and Asio"


def folders_are_known(files):
    for name in files.sources():
        folder = folder_of(name)
        if folder not in MAY_USE:
            yield name, 1, f"src/{folder} is not in the diagram: see MAY_USE in tests/shape.py"


def only_main_is_at_the_root(files):
    for name in files.sources():
        if folder_of(name) == "main" and name != "src/main.cpp":
            yield name, 1, "only main.cpp lies in src/: which folder is this part of?"


def modules(files):
    """Every floodgate_module: (file, line, folder, what DEPENDS names)."""
    for name in files.named("CMakeLists.txt"):
        for module in re.finditer(r"floodgate_module\((\w+)([^)]*)\)", files.text(name)):
            depends = re.search(
                r"\bDEPENDS\b([^)]*?)(?=\b(?:SOURCES|TESTS|TESTING|TESTS_USE|LINKS)\b|$)", module[2])
            used = re.sub(r"#[^\n]*", "", depends[1]).split() if depends else []
            yield (name, line_of(files.text(name), module.start()), module[1].replace("store_", "store/"),
                   [entry.replace("store_", "store/") for entry in used])


def libraries_depend_downwards(files):
    for name, number, folder, depends in modules(files):
        for used in depends:
            if used not in MAY_USE.get(folder, set()):
                yield name, number, f"{folder} may not depend on {used}"


def libraries_depend_on_what_they_use(files):
    for name, number, folder, depends in modules(files):
        sources = [n for n in files.sources() if folder_of(n) == folder]
        text = "\n".join(files.code(n) for n in sources)
        for used in depends:
            if sources and not re.search(rf'#\s*include\s*"{used}/', text):
                yield name, number, f"{folder} does not use {used}: take it out of DEPENDS"


def log_events_are_named_after_their_folder(files):
    event = re.compile(r'\blog::(?:debug|info|warning|error)\(\s*"([^"]*)"')
    for name in files.sources():
        folder, text = folder_of(name), files.text(name)
        if name.endswith("_test.cpp") or folder in ("main", "base"):
            continue
        for found in event.finditer(text):
            if not re.fullmatch(rf"({'|'.join(LOGS_AS.get(folder, (folder,)))})(\.[a-z_]+)+", found[1]):
                yield name, line_of(text, found.start()), f'"{found[1]}" should be {folder}.what_happened'


def nothing_banned(files):
    for name in files.sources("src", "tests", "bench"):
        for pattern, instead in BANNED.items():
            for found in re.finditer(pattern, files.code(name)):
                yield name, line_of(files.code(name), found.start()), instead


def co_await_stands_beside_names_calls_and_literals(files):
    for name in files.sources("src", "tests"):
        code, seen = files.code(name), set()
        for found in re.finditer(r"\bco_await\b", code):
            start, end = expression_around(code, found.start())
            for pattern, why in BESIDE_CO_AWAIT.items():
                at = re.search(pattern, code[start:end])
                if at and (start, why) not in seen:
                    seen.add((start, why))
                    yield name, line_of(code, start + at.start()), why


def expression_around(code, position):
    """The full expression a co_await is part of, as (start, end).

    It ends at a `;` or at the brace or condition that encloses it. Braces on the way that belong
    to the expression (a temporary, a lambda's body) are stepped over as a whole.
    """
    start, depth = position, 0
    while start > 0:
        c = code[start - 1]
        if c == "}" and depth == 0:
            opening = matching(code, start - 1, -1)
            if not re.search(r"[\w>(,=\])]\s*$", code[:opening]) or ends_statement(code, start):
                break
            start = opening
        elif c in ";{" and depth == 0:
            break
        elif c == ")":
            depth += 1
        elif c == "(":
            if depth == 0 and re.search(r"\b(if|while|switch|for)\s*(constexpr\s*)?$", code[:start - 1]):
                break
            depth = max(0, depth - 1)
        start -= 1

    end, depth = position, 0
    condition = start > 0 and code[start - 1] == "("
    while end < len(code):
        c = code[end]
        if c in ";}" or (c == ")" and depth == 0 and condition):
            break
        if c == "{":
            end = matching(code, end, 1)
        depth += (c == "(") - (c == ")" and depth > 0)
        end += 1
    return start, end


def ends_statement(code, after_brace):
    """Whether a `}` closes a block: what follows begins a new statement."""
    return not re.match(r"\s*[,.)\]]", code[after_brace:])


def matching(code, position, step):
    """Where the brace at `position` finds its partner, walking forwards (1) or backwards (-1)."""
    depth = 0
    while 0 <= position < len(code):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
        position += step
    return max(0, min(position, len(code) - 1))


def files_and_lines_are_short(files):
    for name in files.sources():
        lines = files.text(name).splitlines()
        if len(lines) > LINES_MAX:
            yield name, 1, f"more than {LINES_MAX} lines: split it"
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                yield name, number, f"more than {COLUMNS_MAX} columns"


def nothing_left_to_fix(files):
    for name in files.sources("src", "tests", "bench"):
        for number, line in enumerate(files.text(name).splitlines(), 1):
            if re.search(r"\bFIXME\b", line):
                yield name, number, "fix it before it is merged"


def folders_have_meaning(files):
    for folder in sorted({part for n in files.names for part in pathlib.Path(n).parent.parts}):
        if BAD_FOLDERS.fullmatch(folder):
            name = next(n for n in files.names if folder in pathlib.Path(n).parent.parts)
            yield name, 1, f"a folder named {folder} says nothing: name it after what it holds"


def enums_start_at_one(files):
    enum = re.compile(r"\benum\s+(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?[\w:]+\s*"
                      r"(?::\s*[\w:\s]+?)?\s*\{\s*(\w+)\s*(?:=\s*([^,}]+))?")
    for name in files.sources("src", "tests"):
        code, lines = files.code(name), files.text(name).splitlines()
        for found in enum.finditer(code):
            first, last = line_of(code, found.start()), line_of(code, found.end(1))
            if (found[2] or "").strip().rstrip("uUlL") == "1":
                continue
            if not any("// shape: zero" in line for line in lines[first - 1:last]):
                yield name, first, f"{found[1]} = 1: zero reads as success, or as unset"


def source_folders_have_a_readme(files):
    for folder in sorted({folder_of(n) for n in files.sources()} - {"main"}):
        if f"src/{folder}/README.md" not in files.names:
            yield f"src/{folder}", 1, "no README.md: half a page on what, why and the limits"


def sources_are_built(files):
    for name in files.sources("src", "tests"):
        if not name.endswith(".cpp"):
            continue
        path = pathlib.Path(name)
        lists = [str(folder / "CMakeLists.txt") for folder in path.parents]
        nearest = next((entry for entry in lists if entry in files.names), None)
        stem = re.escape(path.stem.removesuffix("_fuzz"))
        if not nearest or not re.search(rf"(?<!\w){stem}(?!\w)", files.text(nearest)):
            yield name, 1, f"not listed in {nearest or 'any CMakeLists.txt'}: nobody builds it"


def nothing_of_this_machine(files):
    own = own_places(files.root)
    for name in files.names:
        text = files.text(name)
        if "\0" in text:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if HOMES.search(line):
                yield name, number, "an absolute path of one machine"
            if REGISTRIES.search(line):
                yield name, number, "a package registry's host"
            elif any(place in line for place in own):
                yield name, number, "a host or path of this machine"


def own_places(root):
    """Hosts this machine gets packages from, and where this checkout lies. Never written down."""
    files = [pathlib.Path("/etc/apt/sources.list"), pathlib.Path("/etc/pip.conf"),
             pathlib.Path.home() / ".npmrc", *pathlib.Path("/etc/apt/sources.list.d").glob("*")]
    texts = [os.environ.get("npm_config_registry", ""), os.environ.get("PIP_INDEX_URL", "")]
    for path in files:
        try:
            texts.append(path.read_text(errors="replace"))
        except OSError:
            pass
    try:
        texts.append(subprocess.run(["npm", "config", "get", "registry"], cwd="/", timeout=20,
                                    capture_output=True, text=True, check=False).stdout)
    except (OSError, subprocess.TimeoutExpired):
        pass
    hosts = set(re.findall(r"https?://(?:[^/@\s]*@)?([\w.-]+)", "\n".join(texts))) - PUBLIC_HOSTS
    places = {host for host in hosts if "." in host and not host.startswith("127.")}
    places |= {f"{p}/" for p in (root, root.parent, pathlib.Path.home()) if len(p.parts) > 2}
    return places


def documents_point_at_files(files):
    known = re.compile(r"`((?:src|docs|scripts|tests|bench|config|cmake)/[\w./-]+)`")
    for name in files.named(".md"):
        here, history = (files.root / name).parent, re.search(r"CHANGELOG|docs/adr/", name)
        for number, line in enumerate(without_code_blocks(files.text(name)), 1):
            for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", line):
                if "://" not in link and not link.startswith("mailto:") and not (here / link).exists():
                    yield name, number, f"{link} does not exist"
            for path in [] if history else known.findall(line):
                if not any((files.root / p).exists() for p in (path, path + ".cpp")):
                    yield name, number, f"{path} does not exist"


def without_code_blocks(text):
    return re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text,
                  flags=re.DOTALL | re.MULTILINE).splitlines()


def readmes_agree(files):
    pair = ["README.md", "README.zh-CN.md"]
    if not set(pair) <= set(files.names):
        yield pair[1], 1, "README.md and README.zh-CN.md come together"
        return
    levels = [[line.split(" ")[0] for line in without_code_blocks(files.text(name))
               if re.match(r"#+ ", line)] for name in pair]
    if levels[0] != levels[1]:
        yield pair[1], 1, f"{len(levels[1])} headings, README.md has {len(levels[0])}, or other levels"


MARKDOWN_COLUMNS_MAX = 110


def documents_have_short_lines(files):
    """Lines that can be broken: not tables, links, headings or code."""
    for name in files.named(".md"):
        for number, line in enumerate(without_code_blocks(files.text(name)), 1):
            breakable = not re.match(r"\s*(\||#|\[|!\[|<)", line) and " " in line.strip()
            if breakable and len(line) > MARKDOWN_COLUMNS_MAX:
                yield name, number, f"more than {MARKDOWN_COLUMNS_MAX} columns"


RULES = [folders_depend_downwards, folders_are_known, only_main_is_at_the_root,
         libraries_depend_downwards, libraries_depend_on_what_they_use,
         log_events_are_named_after_their_folder, documents_have_short_lines, nothing_banned,
         co_await_stands_beside_names_calls_and_literals, files_and_lines_are_short,
         nothing_left_to_fix, folders_have_meaning, enums_start_at_one,
         source_folders_have_a_readme, sources_are_built, nothing_of_this_machine,
         documents_point_at_files, readmes_agree]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    files, failed = tree(root), 0
    for rule in RULES:
        found = list(rule(files))
        failed += bool(found)
        for name, number, why in found:
            print(f"{name}:{number}: {why}")
        if found:
            print(f"  broken: {rule.__name__.replace('_', ' ')}")
    print(f"shape: {len(files.names)} files, {len(RULES) - failed} rules hold, {failed} broken")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
