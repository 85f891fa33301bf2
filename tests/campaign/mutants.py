"""Tests the tests: changes places of the sources, drawn by seed, one at a time, and looks which changes no test notices.

    python3 tests/campaign/mutants.py FOLDER [--seed K] [--each N] [--only NUMBER,...]

All places are changed in one copy of the sources, FOLDER/tree, which is built once: where the variable SACCADE_MUTANT has
a place's number, that place computes something else (mutant.h). The programs of PROGRAMS run first without a change
and say which places they reach; then those that reach a place run with its change, the shortest first, until one
fails, crashes or takes too long. FOLDER/results.json keeps what is known, so that a stopped run goes on. N places (25)
of each of the four parts are tested; needs Python 3.9 and no packages.
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys

PARTS = {
    "kernels": ["core/kernels"],
    "losses": ["captioning/learning/objectives", "core/ops/estimator_ops.cpp", "core/ops/supervision_ops.cpp",
               "core/ops/normalizers.cpp", "core/ops/alignment_ops.cpp", "core/ops/attention_ops.cpp"],
    "search": ["captioning/model/search"],
    "metrics": ["captioning/scoring/metrics", "captioning/scoring/statistics", "captioning/scoring/scores"],
}
# What reports or reads options, and what needs all of saccade to run.
LEFT_OUT = re.compile(r"_config\.cpp|check_search|work_log|metric_registry|score_report|name_objects|object_nouns|must_words")
# Programs that need neither pictures nor the whole of captioning, so that the copy is built soon.
PROGRAMS = ["core/test_core", "core/test_ops", "core/test_ops_f64", "core/test_optim", "core/test_sequence_attention",
            "gradcheck/test_gradcheck", "contract/test_contract", "captioning/test_decoders_f64",
            "captioning/test_captioning_f64", "captioning/test_search_f64", "captioning/test_metrics",
            "captioning/test_statistics"]
NUMERICS = ["campaign/campaign_numerics", "--inputs", "30"]
OPERATOR = re.compile(r"(?<=[\w\)\]]) (\+|-|\*|/|%|<|<=|>|>=|==|!=)(?= |$)")
ASSIGNED = re.compile(r"(?<=[\w\)\]]) (\+=|-=|\*=|/=) ")
NUMBER = re.compile(r"(?<![\w.\"'{])(\d+\.?\d*(?:e-?\d+)?F?|true|false)(?![\w.'\"}])")
EXTREME = re.compile(r"\bstd::(min|max)\((?!\{)")
CONDITION = re.compile(r"^\s*(?:\} else )?(?:if|while) (\()")
CALL = re.compile(r"^ +((?:[a-z_][\w:.]*|[\w\].)\[(-]+->[\w]+)\(.*\);|[\w.\[\]>()-]+ [-+*/]?= .*;|continue;|break;)$")


def masked(text):
    """The text with blanks for comments, strings, directives, and what is checked or fixed when it is compiled."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'//[^\n]*|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text)
    text = re.sub(r"^#[^\n]*|^[^\n]*\b(?:constexpr|template|static_assert|case|using|reserve)\b[^\n]*", blank, text,
                  flags=re.M)
    return re.sub(r"\b(?:SACCADE_CHECK|SACCADE_ASSERT|throw)\b[^;]*;", blank, text)


def closing(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def places_of(text):
    """All places of a file: line, kind, and the edits (offset, length, new text) with @ for the number."""
    shown = masked(text)
    lines, start = shown.split("\n"), 0
    here = "::saccade::mutants::"
    for number, line in enumerate(lines):
        for m in OPERATOR.finditer(line):
            op, end = m.group(1), start + m.end()
            place = "Last" if op == "<" and re.match(r"\s*for \(", line) else "At"
            yield number, op, [(end, 0, f" {here}{place}<@>{{}} {op}")]
        for m in ASSIGNED.finditer(line):
            yield number, m.group(1), [(start + m.end(), 0, f"{here}At<@>{{}} = ")]
        for m in NUMBER.finditer(line):
            yield number, "constant", [(start + m.start(1), len(m.group(1)), f"{here}constant<@>({m.group(1)})")]
        for m in EXTREME.finditer(line):
            name = {"min": "smaller", "max": "larger"}[m.group(1)]
            yield number, "std::" + m.group(1), [(start + m.start(), len(m.group()), f"{here}{name}<@>(")]
        m = CONDITION.match(line)
        if m:
            opening = start + m.start(1)
            end = closing(shown, opening)
            inner = shown[opening + 1:end]
            if end > 0 and ";" not in inner and not re.search(r"\w [*&]?\w+ = ", inner):
                yield number, "condition", [(opening + 1, 0, f"{here}is<@>() != bool("), (end, 0, ")")]
        m = CALL.match(line)
        following = next((n for n in lines[number + 1:] if n.strip()), "")
        before = next((n for n in reversed(lines[:number]) if n.strip()), "").rstrip()
        if m and not re.match(r"\s*(return|delete|else)\b", line) and "else" not in following and before[-1:] in ";{})":
            yield number, "dropped", [(start + m.start(1), 0, f"if (!{here}is<@>()) ")]
        start += len(line) + 1


def drawn(source, seed, each):
    """Places by number, from 1: more than are needed, since some do not compile or change nothing. A line has one."""
    out = []
    for part, roots in PARTS.items():
        lines = {}
        for root in roots:
            files = [root] if root.endswith(".cpp") else [
                os.path.relpath(os.path.join(d, f), source) for d, _, names in os.walk(os.path.join(source, root))
                for f in names if f.endswith(".cpp")]
            for file in files:
                if LEFT_OUT.search(file):
                    continue
                with open(os.path.join(source, file)) as stream:
                    for line, kind, edits in places_of(stream.read()):
                        lines.setdefault((file, line), []).append((kind, edits))
        chance = random.Random(f"{seed} {part}")
        chosen = chance.sample(sorted(lines), min(len(lines), 2 * each))
        for file, line in chosen:
            kind, edits = chance.choice(lines[file, line])
            out.append({"part": part, "file": file, "line": line + 1, "kind": kind, "edits": edits,
                        "number": len(out) + 1, "state": "drawn"})
    return out


def write_tree(source, tree, places):
    """The copy of the sources with all places but those that do not compile. Files that stay equal are not touched."""
    for file in {p["file"] for p in places}:
        with open(os.path.join(source, file)) as stream:
            text = stream.read()
        edits = [(at, length, new.replace("@", str(p["number"]))) for p in places
                 if p["file"] == file and p["state"] != "does not compile" for at, length, new in p["edits"]]
        for at, length, new in sorted(edits, reverse=True):
            text = text[:at] + new + text[at + length:]
        text = '#include "tests/campaign/mutant.h"\n#line 1\n' + text
        path = os.path.join(tree, file)
        with open(path) as stream:
            if stream.read() == text:
                continue
        with open(path, "w") as stream:
            stream.write(text)


def make_lean(tree):
    """Leaves out of the copy's lists what its programs do not need."""
    with open(os.path.join(tree, "core/CMakeLists.txt"), "a") as lists:
        lists.write("saccade_unity(saccade_core_f64)\n")  # tests/mutation, which needs it apart, is not built here
    path = os.path.join(tree, "tests/captioning/CMakeLists.txt")
    with open(path) as lists:
        text = lists.read()
    more = [f"${{PROJECT_SOURCE_DIR}}/captioning/{file}.cpp" for file in (
        "learning/objectives/rewards", "model/vocabulary/vocabulary", "model/vocabulary/subwords",
        "model/vocabulary/token_cuts", "model/vocabulary/published_tokens")]
    for name, libraries, more in [("test_metrics", "saccade_scoring saccade_files", " ".join(more)),
                                  ("test_statistics", "saccade_scoring", "")]:
        text, count = re.subn(rf"(saccade_test\({name} LABEL unit LIBS )saccade_captioning( [^\n]*SOURCES)",
                              rf"\1{libraries}\2 {more}", text)
        assert count == 1, name
    with open(path, "w") as lists:
        lists.write(text)


def build(tree, places, source, jobs, save):
    if not os.path.exists(os.path.join(tree, "build/build.ninja")):
        make_lean(tree)
        subprocess.run(["cmake", "-S", tree, "-B", tree + "/build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
                        "-DCMAKE_CXX_FLAGS=-O1 -DNDEBUG -w", "-DSACCADE_UNITY=ON"], check=True,
                       stdout=subprocess.DEVNULL)
    targets = [p.split("/")[-1] for p in PROGRAMS + NUMERICS[:1]]
    while True:
        done = subprocess.run(["nice", "-n", "3", "cmake", "--build", tree + "/build", f"-j{jobs}", "--target", *targets,
                               "--", "-k", "0"], start_new_session=True, capture_output=True, text=True)
        if done.returncode == 0:
            return
        errors = {(f, int(n)) for f, n in re.findall(
            r"^\S*?((?:core|captioning)/[\w/]+\.cpp):(\d+)(?::\d+)?: (?:error|.*required from)", done.stdout, re.M)}
        bad = [p for p in places if p["state"] != "does not compile" and
               any(p["file"] == f and 0 <= n - p["line"] <= 3 for f, n in errors)]
        if not bad:
            sys.exit(f"the copy does not compile: {done.stdout[-3000:]}")
        for p in bad:
            p["state"] = "does not compile"
        save()
        print(f"{len(bad)} places do not compile: another build", flush=True)
        write_tree(source, tree, places)


def limits(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def run(tree, scratch, program, number, seconds, reached=""):
    """The exit code of a program with one place changed, and the seconds that it took of a processor, at most these.

    A program that waits ends after ten times as long."""
    path = f"{tree}/build/tests/{program}"
    command = [path, *NUMERICS[1:]] if program == NUMERICS[0] else [path, "--abort"]
    environment = dict(os.environ, SACCADE_MUTANT=str(number), SACCADE_DRAWS="4", TMPDIR=scratch)
    if reached:
        environment["SACCADE_REACHED"] = reached
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(["nice", "-n", "5", *command], env=environment, cwd=scratch, preexec_fn=lambda: limits(int(seconds)),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        out = child.communicate(timeout=120 + 10 * seconds)[0].decode(errors="replace")
        code = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        child.communicate()
        out, code = "", "waits"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    wish = parser.parse_args()
    source = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
    folder = os.path.abspath(wish.folder)
    tree, scratch, kept = folder + "/tree", folder + "/scratch", folder + "/results.json"
    os.makedirs(folder, exist_ok=True)

    def save():
        with open(kept + ".new", "w") as stream:
            json.dump(known, stream, indent=1)
        os.replace(kept + ".new", kept)

    if os.path.exists(kept):
        with open(kept) as stream:
            known = json.load(stream)
        if known["seed"] != wish.seed:
            sys.exit(f"{kept} is of seed {known['seed']}; name another folder")
    else:
        known = {"seed": wish.seed, "places": drawn(source, wish.seed, wish.each), "programs": {}}
    places = known["places"]
    listed = subprocess.run(["git", "-C", source, "ls-files", "-co", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout.split("\n")
    changed = {p["file"] for p in places} | {"core/CMakeLists.txt", "tests/captioning/CMakeLists.txt"}
    for file in filter(None, listed):  # tests that were added since are copied too
        to = os.path.join(tree, file)
        if os.path.exists(to) and (file in changed or os.path.getmtime(to) >= os.path.getmtime(os.path.join(source, file))):
            continue
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy2(os.path.join(source, file), to)
    write_tree(source, tree, places)
    build(tree, places, source, wish.jobs, save)
    save()

    for program in PROGRAMS + NUMERICS[:1]:
        if program in known["programs"]:
            continue
        reached = folder + "/reached"
        if os.path.exists(reached):
            os.remove(reached)
        code, seconds, out = run(tree, scratch, program, 0, 1200, reached)
        if code != 0:
            sys.exit(f"{program} fails without a change ({code}):\n{out[-3000:]}")
        with open(reached) as stream:
            numbers = sorted({int(line) for line in stream})
        known["programs"][program] = {"seconds": seconds, "reached": numbers}
        print(f"{program}: {seconds:.1f} s, {len(numbers)} places", flush=True)
        save()

    foreign = {-n for p in known["programs"].values() for n in p["reached"] if n < 0}
    left = {part: wish.each for part in PARTS}
    tests = []  # (seconds of programs, place, programs by seconds): what is known soon comes first
    for place in places:
        by = sorted((p["seconds"], name) for name, p in known["programs"].items() if place["number"] in p["reached"])
        if place["state"] == "does not compile" or (not by and place["number"] in foreign) or left[place["part"]] == 0:
            continue
        left[place["part"]] -= 1
        if place["state"] == "drawn" or str(place["number"]) in wish.only.split(","):
            tests.append(([seconds for seconds, _ in by], place["number"], by))
    for _, number, by in sorted(tests):
        place = places[number - 1]
        place["state"], place["by"] = ("survived" if by else "not reached"), ""
        for seconds, program in by:
            code, _, out = run(tree, scratch, program, number, 10 + 4 * seconds)
            if code != 0:
                code = {-24: "takes too long", -9: "takes too long"}.get(code, code)
                place["state"], place["by"] = "killed", f"{program}: {code}"
                break
        print(f"{number} {place['file']}:{place['line']} {place['kind']} {place['state']} {place['by']}", flush=True)
        save()
    print("| part | places | killed | survived | not reached |\n|---|---:|---:|---:|---:|")
    for part in [*PARTS, "all"]:
        states = [p["state"] for p in places if part in (p["part"], "all")]
        counts = [states.count(s) for s in ("killed", "survived", "not reached")]
        print(f"| {part} | {sum(counts)} | {counts[0]} | {counts[1]} | {counts[2]} |")


main()
