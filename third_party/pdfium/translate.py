#!/usr/bin/python3
"""Turns the C that wasm2c 1.0.32 makes of PDFium's WebAssembly into C that is confined by construction.

usage: translate.py WASM2C_OUTPUT EXPORTS HOT_FUNCTIONS FOLDER CHUNKS

Writes to FOLDER translated.h, translated_code.h, translated_data.c, translated_<n>.c and
pdfium_exports.h, to be compiled with module.c; module_operations.h says what the names here mean. What differs from wasm2c's own:

- memory lies at a fixed distance behind the instance and has a fixed span, so that an access is one
  comparison with a constant, and no address or size is loaded first;
- every iteration of a loop and every call that may recur takes from a budget, so that any input ends, and at the same
  place everywhere;
- the module's stack cannot run into its data;
- the table of functions is constant; there is no state outside the instance;
- functions that none of EXPORTS needs are left out, and what is left is several files.

Fails when the input is not what it expects, so that another PDFium or wasm2c is noticed.
"""

import pathlib
import re
import sys

INSTANCE = "Z_pdfium_instance_t"
# Offsets that instructions carry, and the span beyond the memory's that must hold them: module.h.
OFFSET_MAX = 2 << 20

LOOP_HEAD = re.compile(r"^( *)(w2c_L\d+): *$", re.M)
ACCESS = re.compile(r"\b(\w+)\(&instance->w2c_memory, \(u64\)\((w2c_\w+)\)(?: \+ (\d+)u?)?")
BULK = re.compile(r"\bmemory_(copy|fill)\(&instance->w2c_memory, (?:&instance->w2c_memory, )?")
IMPORTER = re.compile(r"\binstance->Z_\w+_instance\b")
INDIRECT = re.compile(r"CALL_INDIRECT\(instance->w2c___indirect_function_table, (.*?\)), (\d+), (w2c_\w+), "
                      r"instance->w2c___indirect_function_table\.data\[\3\]\.module_instance\b")
STACK_POINTER = re.compile(r"\binstance->w2c_g0 = (w2c_\w+);")
INVOKED = {name: f"{arguments}, {results}" + ", WASM_RT_I32" * (arguments + results)
           for name, arguments, results in [("II", 1, 1), ("III", 2, 1), ("IIII", 3, 1), ("IIIII", 4, 1), ("VIII", 3, 0)]}
CALLED = re.compile(r"\bw2c_\w+(?=\()")


def require(condition, what):
    if not condition:
        sys.exit(f"translate.py: this is not the output of wasm2c 1.0.32 that it knows: {what}")


def split(text):
    """The function definitions by name, the prelude, and all between."""
    prelude, marker, rest = text.partition("static u32 func_types[")
    require(marker, "no function types")
    functions = {}
    pattern = re.compile(r"^static (\w+) (w2c_\w+)\((%s\* instance[^)]*)\) \{\n(.*?)^\}\n" % INSTANCE, re.M | re.S)
    for match in pattern.finditer(rest):
        functions[match.group(2)] = (match.group(1), match.group(3), match.group(4))
    return prelude, functions, pattern.sub("", rest)


def translate(body):
    def access(match):
        offset = int(match.group(3) or 0)
        require(offset <= OFFSET_MAX, f"offset {offset}")
        return f"{match.group(1)}_in(instance, {match.group(2)}, {offset}u"

    body = ACCESS.sub(access, body)
    body = BULK.sub(r"memory_\1_in(instance, ", body)
    body = IMPORTER.sub("instance", body)
    body = INDIRECT.sub(lambda match: f"CALL_INDIRECT({match.group(1)}, TYPE_{match.group(2)}, {match.group(3)}, instance",
                        body)
    body = STACK_POINTER.sub(r"SET_STACK_POINTER(\1);", body)
    body = LOOP_HEAD.sub(r"\1\2: SPEND;", body)
    body = body.replace("instance->w2c_memory.pages", "instance->pages")
    require("w2c_memory" not in body and "function_table" not in body and "Z_env_" not in body
            and "table_" not in body, "an access of another form: " + "; ".join(
        line for line in body.split("\n") if re.search("w2c_memory|function_table|Z_env_|table_", line)))
    return body


def function_types(rest):
    """By number: the first number of the same signature, and the signature."""
    types = re.findall(r"func_types\[(\d+)\] = wasm_rt_register_func_type\((.*?)\);", rest)
    require(len(types) == int(re.match(r"(\d+)\];", rest).group(1)), "function types")
    first = {}
    return {int(number): (first.setdefault(signature, int(number)), signature) for number, signature in types}


def table(rest):
    match = re.search(r"elem_segment_exprs_w2c_e0\[\] = \{\n(.*?)\};", rest, re.S)
    entries = re.findall(r"\{(\d+), \(wasm_rt_function_ptr_t\)&(\w+), 0\}", match.group(1))
    size, count, first = re.search(r"funcref_table, (\d+), .*?e0, (\d+), (\d+)u, 0,", rest.replace(
        "wasm_rt_allocate_funcref_table(&instance->w2c___indirect_function_table", "funcref_table"), re.S).groups()
    require(len(entries) == int(count) and int(first) + len(entries) <= int(size), "the table of functions")
    return int(size), int(first), entries


def exports_of(rest):
    """The wrapper of each export by the export's name; exports of one body share a function."""
    wrappers = {}
    for kind, name, arguments, target in re.findall(
            r"^(\w+) Z_pdfiumZ_(\w+)\((%s\* instance[^)]*)\) \{\n  return (w2c_\w+)\(" % INSTANCE, rest, re.M):
        wrappers[name] = (kind, arguments, target)
    return wrappers


def reachable(functions, roots):
    seen, waiting = set(), list(roots)
    while waiting:
        name = waiting.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        waiting += CALLED.findall(functions[name][2])
    return seen


def calls_of(functions, kept, types, entries):
    """Who may call whom, by name."""
    by_type = {}
    for kind, name in entries:
        by_type.setdefault(types[int(kind)][0], []).append(name)
    invoked = {name.lower(): next(same for same, found in types.values() if found == signature)
               for name, signature in INVOKED.items()}
    calls = {}
    for name in kept:
        body = functions[name][2]
        found = {callee for callee in CALLED.findall(body) if callee in kept}
        for kind in set(re.findall(r"CALL_INDIRECT\(.*?, TYPE_(\d+), ", body)):
            found.update(by_type.get(types[int(kind)][0], []))
        for kind in set(re.findall(r"Z_envZ_invoke_(\w+)", body)):
            found.update(by_type.get(invoked[kind], []))
        calls[name] = found
    return calls


def recursive(calls):
    """The functions that may come to call themselves: Tarjan's strongly connected components."""
    index, low, stack, on_stack, found = {}, {}, [], set(), set()
    for root in calls:
        work = [(root, iter(calls[root]))] if root not in index else []
        if work:
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
        while work:
            name, rest = work[-1]
            callee = next((one for one in rest if one not in index or one in on_stack), None)
            if callee is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    component = stack[stack.index(name):]
                    del stack[len(stack) - len(component):]
                    on_stack.difference_update(component)
                    if len(component) > 1 or name in calls[name]:
                        found.update(component)
            elif callee in index:
                low[name] = min(low[name], index[callee])
            else:
                index[callee] = low[callee] = len(index)
                stack.append(callee)
                on_stack.add(callee)
                work.append((callee, iter(calls[callee])))
    return found


def write_headers(folder, prelude, functions, kept, exported, types, globals_, table_size):
    lines = ["#pragma once", "#define MODULE_GLOBALS " + " ".join(f"u32 w2c_g{number};" for number in globals_)]
    lines += [f"#define TYPE_{number} {same}u" for number, (same, _) in types.items()]
    lines += [f"#define MODULE_TABLE_SIZE {table_size}u"]
    for name, signature in INVOKED.items():
        number = next((same for same, found in types.values() if found == signature), None)
        require(number is not None, "no type " + signature)
        lines += [f"#define TYPE_{name} {number}u"]
    code = [re.sub(r'#include "\w+\.h"', '#include <wasm-rt.h>\n\n#include "module.h"', prelude), '#include "module_operations.h"']
    code += ["#pragma GCC visibility push(hidden)"]
    code += [f"{functions[name][0]} {name}({functions[name][1]});" for name in functions if name in kept]
    code += ["#pragma GCC visibility pop"]
    (folder / "translated.h").write_text("\n".join(lines) + "\n")
    (folder / "translated_code.h").write_text("\n".join(["#pragma once"] + code) + "\n")
    exports = ["#pragma once", '#include "module.h"', "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    exports += [f"{kind} pdfium_{name}({arguments});" for name, (kind, arguments, _) in exported.items()]
    exports += ["#ifdef __cplusplus", "}", "#endif"]
    (folder / "pdfium_exports.h").write_text("\n".join(exports) + "\n")


def write_data(folder, rest, exported, globals_, types):
    segments = re.findall(r"^static const u8 data_segment_data_w2c_d\d+\[\] = \{.*?^\};\n", rest, re.M | re.S)
    loads = re.findall(r"LOAD_DATA\(instance->w2c_memory, (\d+)u, (\w+), (\d+)\);", rest)
    require(len(segments) == len(loads) > 0, "data segments")
    pages = re.search(r"wasm_rt_allocate_memory\(&instance->w2c_memory, (\d+),", rest).group(1)
    size, first, entries = table(rest)
    lines = ['#include "translated_code.h"']
    lines += [f"const module_function module_table[{size}] = {{", f"  [0 ... {size - 1}] = {{NO_TYPE, NULL}},"]
    lines += [f"  [{first + index}] = {{{types[int(kind)][0]}u, (void (*)(void))&{name}}},"
              for index, (kind, name) in enumerate(entries)]
    lines += ["};", *segments, f"void module_initialize({INSTANCE}* instance) {{", f"  instance->pages = {pages}u;"]
    lines += [f"  instance->w2c_g{number} = {value}u;" for number, value in globals_.items()]
    lines += [f"  memcpy(MEMORY(instance) + {place}u, {data}, {count});" for place, data, count in loads]
    lines += ["}"]
    for name, (kind, arguments, target) in exported.items():
        passed = re.findall(r"(\w+)(?:,|$)", arguments)
        lines += [f"{kind} pdfium_{name}({arguments}) {{ return {target}({', '.join(passed)}); }}"]
    (folder / "translated_data.c").write_text("\n".join(lines) + "\n")


def main():
    source, wanted, hot, folder = (pathlib.Path(argument) for argument in sys.argv[1:5])
    chunks = int(sys.argv[5])
    prelude, functions, rest = split(source.read_text())
    wrappers, exported = exports_of(rest), {}
    for name in re.findall(r"^\w+$", wanted.read_text(), re.M):
        require(name in wrappers, f"no export {name}")
        exported[name] = wrappers[name]
    types = function_types(rest)
    globals_ = dict(re.findall(r"instance->w2c_g(\d+) = (\d+)u;", rest))
    roots = [target for _, _, target in exported.values()] + [name for _, name in table(rest)[2]]
    kept = reachable(functions, roots)
    for name in kept:
        kind, arguments, body = functions[name]
        functions[name] = (kind, arguments, translate(body))
    # Others end by themselves, at a depth that is the same always.
    counted = recursive(calls_of(functions, kept, types, table(rest)[2]))
    for name in kept - counted:
        kind, arguments, body = functions[name]
        functions[name] = (kind, arguments, body.replace("  FUNC_PROLOGUE;\n", "").replace("  FUNC_EPILOGUE;\n", ""))
    write_headers(folder, prelude, functions, kept, exported, types, globals_, table(rest)[0])
    write_data(folder, rest, exported, globals_, types)
    first = set(re.findall(r"\bw2c_\w+", hot.read_text())) & kept
    order = [name for name in functions if name in kept - first]
    size = sum(len(functions[name][2]) for name in order) / (chunks - 1)
    files, filled = [[] for _ in range(chunks)], 0

    def place(name, file):
        kind, arguments, body = functions[name]
        slow = name.replace("w2c_", "slow_") if name in ("w2c_malloc", "w2c_free") else ""
        file.append(f"{'static ' if slow else ''}{kind} {slow or name}({arguments}) {{\n{body}}}\n")
        return len(body)

    for name in functions:
        if name in first:
            place(name, files[0])
    require({"w2c_malloc", "w2c_free"} <= first, "the allocator is hot")
    files[0].append("SPARE_ALLOCATOR\n")
    for name in order:
        filled += place(name, files[1 + min(int(filled / size), chunks - 2)])
    for number, texts in enumerate(files):
        (folder / f"translated_{number}.c").write_text('#include "translated_code.h"\n' + "\n".join(texts))
    print(f"PDFium: {len(kept)} of {len(functions)} functions in {chunks} files")


if __name__ == "__main__":
    main()
