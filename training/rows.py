"""The prepared rows, and the order in which they are learned."""
import collections
import gzip
import json
import lzma
import random

TASKS = {"teaches": 7, "relates": 4, "answers": 2}


def opened(file):
    packed = {"gz": gzip, "xz": lzma}.get(file.rsplit(".")[-1])
    return packed.open(file, "rt") if packed else open(file)


def load(file):
    """All rows of rows.jsonl: {task, author, lang, label, key, weight, ids, first, group?, kind?}."""
    with opened(file) as lines:
        return [json.loads(line) for line in lines]


def plan(rows, passes, budget, seed):
    """Batches of one task and of like length, each of about so many word pieces, in random order."""
    chance = random.Random(seed)
    by_task, made = collections.defaultdict(list), []
    for row in rows:
        by_task[row["task"]].append(row)
    for task, count in passes.items():
        while count > 0:
            share, count = min(1, count), count - 1
            units = questions(by_task[task], share, chance) if task == "answers" else [
                [row] for row in by_task[task] if chance.random() < share
            ]
            chance.shuffle(units)
            units.sort(key=lambda unit: longest(unit) + chance.random() * 6)
            made += cut(units, budget)
    chance.shuffle(made)
    return made


def questions(rows, share, chance):
    """All notes beside one question stay together: the one that answers, one that nearly does, and one of the others."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row)
    units = []
    for group in groups.values():
        if chance.random() > share:
            continue
        near = [row for row in group if row["kind"] in ("answers", "near")]
        others = [row for row in group if row["kind"] in ("other", "strange")]
        units.append(near + chance.sample(others, min(1, len(others))))
    return units


def cut(units, budget):
    made, batch, width = [], [], 0
    for unit in units:
        wide = max(width, longest(unit))
        if batch and wide * (len(batch) + len(unit)) > budget:
            made.append(batch)
            batch, wide = [], longest(unit)
        batch, width = batch + unit, wide
    return made + [batch] if batch else made


def longest(rows):
    return max(len(row["ids"]) for row in rows)
