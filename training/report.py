"""What a model says of rows whose authors it never saw: `python3 training/report.py FILE…` (written by train.py)."""
import collections
import gzip
import json
import math
import sys


def interval(hits, of):
    """Wilson's 95 % interval."""
    if of == 0:
        return (0.0, 1.0)
    z, p = 1.96, hits / of
    middle, spread = (p + z * z / (2 * of)), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return ((middle - spread) / (1 + z * z / of), (middle + spread) / (1 + z * z / of))


def area(rows):
    """The chance that a true row scores above a false one."""
    rows = sorted(rows)
    rank = ties = 0
    true = sum(is_true for _, is_true in rows)
    total = 0.0
    index = 0
    while index < len(rows):
        end = index
        while end < len(rows) and rows[end][0] == rows[index][0]:
            end += 1
        total += sum(is_true for _, is_true in rows[index:end]) * (index + end + 1) / 2
        index = end
    false = len(rows) - true
    return (total - true * (true + 1) / 2) / (true * false) if true and false else float("nan")


def at_precision(rows, wanted):
    """The lowest threshold at which precision is still as wanted, and the recall there."""
    rows = sorted(rows, reverse=True)
    true = sum(is_true for _, is_true in rows)
    best, hits = (1.01, 0.0), 0
    for count, (score, is_true) in enumerate(rows, 1):
        hits += is_true
        if hits / count >= wanted and (count == len(rows) or rows[count][0] < score):
            best = (score, hits / max(1, true))
    return best


def at_threshold(rows, threshold):
    said = [is_true for score, is_true in rows if score >= threshold]
    true = sum(is_true for _, is_true in rows)
    return (sum(said) / len(said) if said else 1.0, sum(said) / max(1, true), len(said), true)


def load(file):
    opened = gzip.open(file, "rt") if file.endswith(".gz") else open(file)
    merged = {}
    for row in map(json.loads, opened):
        at = merged.setdefault((row["task"], row["author"], row["key"]), {**row, "p": [0.0] * len(row["p"]), "n": 0})
        at["p"] = [a + b for a, b in zip(at["p"], row["p"])]
        at["n"] += 1
    for row in merged.values():
        row["p"] = [x / row["n"] for x in row["p"]]
    return list(merged.values())


SCORES = {
    "teaches": (lambda row: 1 - row["p"][0], lambda row: row["label"] != 0, 0.95),
    "update": (lambda row: row["p"][3], lambda row: row["label"] == 3, 0.90),
    "duplicate": (lambda row: row["p"][2], lambda row: row["label"] == 2, 0.95),
    "answers": (lambda row: row["p"][1], lambda row: row["label"] == 1, 0.90),
}


def report(rows):
    for name, (score, is_true, wanted) in SCORES.items():
        rows = [row for row in rows if not row["key"].endswith("~")]
        own = [row for row in rows if row["task"] == (name if name in ("teaches", "answers") else "relates")]
        by = collections.defaultdict(list)
        for row in own:
            by[row["author"]].append((score(row), bool(is_true(row))))
            if name == "answers" and row["key"].split("/")[-2] in ("answers", "near"):
                by[f"  {row['author']} near"].append((score(row), bool(is_true(row))))
            by[f"  {row['author']} {'en' if row['lang'] == 'en' else 'other'}"].append((score(row), bool(is_true(row))))
        if len({row["author"] for row in own}) == 0:
            continue
        print(f"\n{name}: at a threshold set on the other authors for precision {wanted}")
        print(f"{'left out':34} rows  true  area  precision  recall  (recall at {wanted} of its own)")
        for author in sorted(by, key=lambda a: (a.strip(), a)):
            base = author.strip().split(" ")[0]
            others = [pair for other, pairs in by.items() if not other.startswith(" ") and other != base for pair in pairs]
            threshold, _ = at_precision(others or by[author], wanted)
            precision, recall, said, true = at_threshold(by[author], threshold)
            low, high = interval(round(recall * true), true)
            print(f"{author:34} {len(by[author]):4} {true:5} {area(by[author]):5.2f} {precision:8.2f} ({said:3}) "
                  f"{recall:6.2f} [{low:.2f} {high:.2f}]  {at_precision(by[author], wanted)[1]:.2f}")
        compatible = [row for row in own if name == "update" and row["label"] == 1]
        if compatible:
            for author in sorted({row["author"] for row in compatible}):
                others = [pair for other, pairs in by.items() if not other.startswith(" ") and other != author for pair in pairs]
                threshold, _ = at_precision(others or by[author], wanted)
                mine = [row for row in compatible if row["author"] == author]
                print(f"  compatible pairs suspected, {author}: {sum(score(r) >= threshold for r in mine) / len(mine):.3f} of {len(mine)}")


if __name__ == "__main__":
    for file in sys.argv[1:]:
        print("==", file)
        report(load(file))
