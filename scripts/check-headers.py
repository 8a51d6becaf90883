#!/usr/bin/env python3
"""Fails on stems that include each other in a circle, on rooms that include what they may not, and on
standard headers that are missing.

    scripts/check-headers.py [-C ROOT]

A stem is the files of one name in one folder: softmax.h, softmax.cpp, softmax_cpu.cpp. It includes
another when one of its files includes the other's header. Each circle is printed once, as the files
and lines that close it.

The build precompiles the commonest standard headers, so the compiler does not miss them where they
are not included: here each must be, by the file or by a header of ours that it includes.
"""
import os
import re
import sys

# Rooms, folders within a folder of src: which of its rooms each may include besides itself. The
# folder's own files may be included by all its rooms.
ROOMS = {
    'text/unicode': (),
    'text/regex': ('text/unicode',),
    'text/stages': ('text/unicode', 'text/regex'),
    'text/models': ('text/unicode', 'text/stages'),
    'text/spm': ('text/unicode', 'text/stages', 'text/models'),
    'text/jinja': ('text/unicode',),
    'text/train': ('text/unicode', 'text/stages', 'text/models', 'text/spm'),
    'text': ('text/unicode', 'text/regex', 'text/stages', 'text/models', 'text/spm', 'text/jinja'),
    'base/hash': (),
    'base/korean': (),
    'data/make': (),
    'ops/kernels': (),
    'explain/topics': (),
    'models/decoders': (),
    'models/encoders': (),
    'models/seq2seq': (),
    'models/images': (),
    'models/series': (),
    'models/lab': ('models/seq2seq',),
    'models': (),
    'app/models': (),
    'app/data': ('app/models',),
    'app/use': ('app/models', 'app/data'),
    'app/measure': ('app/models', 'app/data', 'app/use'),
    'app/tools': ('app/models', 'app/data', 'app/use', 'app/measure'),
    'app/train': ('app/models', 'app/data', 'app/use', 'app/measure'),
    'app/show': ('app/models', 'app/data', 'app/use', 'app/measure'),
    'app/page': ('app/models', 'app/data', 'app/use', 'app/measure', 'app/tools', 'app/train',
                 'app/show'),
}
OF_ALL = ('app/train/recipe.h',)  # the struct that a recipe is read into
OF_KERNELS = re.compile(r'ops/(gemm|\w+_(kernel|kind))\.h$')  # all that ops/kernels takes from ops

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.M)
ENDING = re.compile(r'((_cpu|_cuda)?\.(h|cpp|cu|cuh)|-inl\.h)$')
NO_CODE = re.compile(r'//[^\n]*|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"')

# Each precompiled header: what of it is looked for, and headers that stand for it.
NAMES = {
    'algorithm': (r'std::(?:sort|stable_sort|find|find_if|any_of|all_of|none_of|copy|copy_n|copy_if|'
                  r'fill|fill_n|max_element|min_element|reverse|rotate|remove|remove_if|unique|'
                  r'lower_bound|upper_bound|transform|count|count_if|min|max|clamp|minmax|equal|'
                  r'nth_element|partial_sort|push_heap|pop_heap|make_heap|is_sorted|replace|'
                  r'generate|merge|search|copy_backward)\b', ()),
    'cmath': (r'std::(?:sqrt|exp|log|log2|log10|log1p|exp2|expm1|pow|fabs|sin|cos|tan|tanh|floor|'
              r'ceil|round|lround|llround|isfinite|isnan|isinf|signbit|ldexp|frexp|fmod|erf|erfc|'
              r'hypot|nan|trunc|fma|copysign|nextafter)\b', ()),
    'cstdint': (r'\bu?int(?:8|16|32|64)_t\b',
                ('array', 'atomic', 'bit', 'charconv', 'chrono', 'functional', 'limits', 'memory',
                 'random', 'span', 'string', 'string_view', 'vector')),
    'cstring': (r'std::(?:memcpy|memmove|memset|memcmp|strlen|strcmp|strerror|memchr)\b', ()),
    'filesystem': (r'std::filesystem\b', ()),
    'functional': (r'std::(?:function|hash|less|greater|plus|ref|cref|invoke|equal_to)\b', ()),
    'map': (r'std::(?:map|multimap)\b', ()),
    'memory': (r'std::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|addressof)\b', ()),
    'sstream': (r'std::(?:ostringstream|istringstream|stringstream)\b', ()),
    'string': (r'std::(?:string|u32string|to_string|getline)\b',
               ('filesystem', 'sstream', 'stdexcept')),
    'string_view': (r'std::(?:string_view|u32string_view)\b', ('string',)),
    'utility': (r'std::(?:pair|make_pair|exchange|index_sequence|as_const|declval)\b',
                ('algorithm', 'array', 'functional', 'map', 'memory', 'optional', 'set', 'span',
                 'string', 'string_view', 'tuple', 'unordered_map', 'variant', 'vector')),
    'vector': (r'std::vector\b', ()),
}


def stem_of(path):
    return ENDING.sub('', path)


class Tree:
    """Every file of src, cli and server, by the name others include it by."""

    def __init__(self, root):
        self.path, self.text, self.own, self.std, self.reached = {}, {}, {}, {}, {}
        for top in ('src', 'cli', 'server'):
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in sorted(names):
                    if ENDING.search(name):
                        self.read(root, os.path.relpath(os.path.join(folder, name), root))

    def read(self, root, path):
        name = path.removeprefix('src/')
        with open(os.path.join(root, path), encoding='utf-8') as file:
            self.text[name] = file.read()
        self.path[name] = path
        self.own[name], self.std[name] = {}, set()
        for found in INCLUDE.finditer(self.text[name]):
            line = self.text[name].count('\n', 0, found.start(found.lastindex)) + 1
            if found.group(1):
                self.own[name].setdefault(found.group(1), f'{path}:{line}')
            else:
                self.std[name].add(found.group(2))

    def stems(self):
        """{stem: {included stem: 'FILE:LINE'}}"""
        out = {}
        for name in sorted(self.own):
            edges = out.setdefault(stem_of(name), {})
            for other, place in self.own[name].items():
                if stem_of(other) != stem_of(name):
                    edges.setdefault(stem_of(other), place)
        return out

    def reach(self, name):
        """Standard headers that a file gets by itself and by headers of ours."""
        if name not in self.reached:
            self.reached[name] = set(self.std.get(name, ()))
            for other in self.own.get(name, ()):
                self.reached[name] |= self.reach(other)
        return self.reached[name]

    def strays(self):
        for name in sorted(self.own):
            room = os.path.dirname(name)
            for other, place in self.own[name].items():
                there = os.path.dirname(other)
                if other in OF_ALL or there == room or room not in ROOMS or there.split('/')[0] != room.split('/')[0]:
                    continue
                up = there == os.path.dirname(room)
                if not up and there not in ROOMS[room]:
                    yield f'{place}: {room} includes "{other}"'
                elif room == 'ops/kernels' and not OF_KERNELS.match(other):
                    yield f'{place}: {room} includes "{other}"'

    def missing(self):
        for name in sorted(self.text):
            code = NO_CODE.sub('', self.text[name])
            for header, (pattern, others) in NAMES.items():
                if self.reach(name).isdisjoint((header, *others)):
                    found = re.search(pattern, code)
                    if found:
                        yield f'{self.path[name]}: {found.group(0)} without <{header}>'


def circles(graph):
    """Groups of stems that all reach each other (Tarjan), larger than one."""
    order, low, stack, groups = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                groups.append(stack[at:])
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in order:
            visit(node)
    return groups


def shortest(graph, group):
    """The shortest circle within the group."""
    best = None
    for start in sorted(group):
        paths, seen = [[start]], {start}
        while paths:
            path = paths.pop(0)
            if start in graph[path[-1]]:
                if best is None or len(path) < len(best):
                    best = path
                break
            for other in graph[path[-1]]:
                if other in group and other not in seen:
                    seen.add(other)
                    paths.append(path + [other])
    return best


def main():
    root = sys.argv[2] if sys.argv[1:2] == ['-C'] else os.path.join(os.path.dirname(__file__), '..')
    tree = Tree(root)
    wrong = [*tree.strays(), *tree.missing()]
    graph = tree.stems()
    for group in circles(graph):
        circle = shortest(graph, group)
        steps = zip(circle, circle[1:] + circle[:1])
        wrong.append('; '.join(f'{graph[a][b]}: includes "{b}.h"' for a, b in steps) +
                     f': a circle ({len(group)} stems in it)')
    print(*wrong, sep='\n', end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
