#!/usr/bin/python3
"""Puts sources together into few large ones, so that what they all include is compiled once.

    cmake/unity.py INCLUDE_DIRECTORY OUT_PREFIX SOURCE ...

writes OUT_PREFIX-1.cpp and so on, which include the sources, and prints the files to compile: those,
and each source that found no company. Two sources stay apart when both define a name in an anonymous
namespace, when one defines there what a header of the other declares, or when one says `using` of a
name, or gives a namespace a short name, by which the other means something else. A file is written only when it changes, so that
nothing is compiled again without need.
"""
import functools
import os
import pathlib
import re
import sys

FILES_MAX = 12  # in one group: more saves little and leaves the other cores idle
KEYWORDS = frozenset("auto bool char class const consteval constexpr double enum explicit extern float "
                     "inline int long namespace noexcept operator public requires short signed sizeof "
                     "static struct template this typename union unsigned using virtual void".split())
WORD = re.compile(r"[A-Za-z_]\w*|::|[^\s\w]|\d[\w.']*")
NOISE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*', re.S | re.M)
USING = re.compile(r"^using ([\w:]*::)(\w+);", re.M)
ALIAS = re.compile(r"^ *namespace (\w+) = ", re.M)
SPACE = re.compile(r"(?<![\w:])(\w+)::")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def declared(text):
    """The names a file declares in namespaces: (anonymous ones, all others)."""
    anonymous, named, nesting, statement = set(), set(), [], []
    for word in WORD.findall(NOISE.sub(" ", text)):
        if word == "{":
            opens_namespace = "namespace" in statement and "=" not in statement
            if all(nesting) and not opens_namespace:
                note(statement, anonymous if "anonymous" in nesting else named)
            kind = "anonymous" if statement == ["namespace"] else "named" if opens_namespace else ""
            nesting.append(kind)
            statement = []
        elif word == "}":
            if nesting:
                nesting.pop()
            statement = []
        elif not all(nesting):
            continue  # inside a function or a class
        elif word == ";":
            note(statement, anonymous if "anonymous" in nesting else named)
            statement = []
        else:
            statement.append(word)
    return anonymous, named


def note(statement, names):
    """Adds what a declaration may declare: better a word too many than one too few."""
    while statement[:2] == ["template", "<"]:
        statement = statement[statement.index(">") + 1:]
    if not statement or statement[0] == "namespace" or (statement[0].isupper() and "(" in statement[1:2]):
        return  # an alias of a namespace; TEST(...)
    if statement[0] in ("class", "struct", "enum", "union"):
        names.update([word for word in statement if word not in KEYWORDS and word[0].isalpha()][:1])
        return
    if statement[0] == "using" and "=" not in statement:
        return
    for before, word, after in zip(["", *statement], statement, [*statement[1:], ";"]):
        if word in ("(", "="):
            return  # what follows are parameters, or a value
        if (word[0].isalpha() and word not in KEYWORDS and before != "::"
                and after in ("(", "=", "[", ";")):
            names.add(word)


class Source:
    def __init__(self, path, includes_from):
        self.path = path
        text = path.read_text()
        self.hidden, _ = declared(text)
        self.usings = set(USING.findall(text))  # pairs: "shop::", "to_json"
        self.brought = {name for _, name in self.usings}
        self.beside = set()  # what headers of its own folder declare
        self.aliases = set(ALIAS.findall(text))
        self.spaces = set(SPACE.findall(text)) - self.aliases  # that are written before ::
        for header in headers(path, includes_from):
            names, spaces = names_of(header)
            self.brought |= names
            self.spaces |= spaces
            self.beside |= names if header.parent == path.parent else set()

    def can_join(self, other):
        return not (self.disturbs(other) or other.disturbs(self))

    def disturbs(self, other):
        foreign = {name for space, name in self.usings - other.usings}
        return (self.hidden & (other.hidden | other.brought) or foreign & other.beside
                or self.aliases & other.spaces)


@functools.lru_cache(maxsize=None)
def names_of(header):
    """What a header declares, and the namespaces it names by no alias of its own."""
    text = header.read_text()
    anonymous, named = declared(text)
    return anonymous | named, set(SPACE.findall(text)) - set(ALIAS.findall(text))


def headers(path, includes_from):
    """Headers of ours that a file includes, also through others."""
    found, todo = set(), [path]
    while todo:
        for name in INCLUDE.findall(todo.pop().read_text()):
            header = includes_from / name
            if header not in found and header.exists():
                found.add(header)
                todo.append(header)
    return found


def groups(sources):
    made = []
    for source in sources:
        fitting = (group for group in made
                   if len(group) < FILES_MAX and all(source.can_join(other) for other in group))
        group = next(fitting, None)
        if group is None:
            made.append([source])
        else:
            group.append(source)
    return made


def main():
    includes_from, prefix = pathlib.Path(sys.argv[1]), sys.argv[2]
    sources = [Source(pathlib.Path(name).resolve(), includes_from) for name in sys.argv[3:]]
    for number, group in enumerate(groups(sources), 1):
        if len(group) == 1:
            print(group[0].path)
            continue
        together = pathlib.Path(f"{prefix}-{number}.cpp")
        # Relative names: the text is the same in every clone, and ccache finds it again.
        names = [os.path.relpath(source.path, together.parent) for source in group]
        text = "".join(f'#include "{name}"  // NOLINT(bugprone-suspicious-include)\n' for name in names)
        if not together.exists() or together.read_text() != text:
            together.parent.mkdir(parents=True, exist_ok=True)
            together.write_text(text)
        print(together)


if __name__ == "__main__":
    main()
