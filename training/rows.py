"""Reads the prepared rows and turns them into word pieces."""
import json
import random
from pathlib import Path

from tokenizers import Tokenizer

TYPES = ["nothing", "fact", "preference", "prohibition", "procedure", "decision", "correction"]
RELATIONS = ["unrelated", "compatible", "duplicate", "update"]
TASKS = {"teaches": len(TYPES), "relates": len(RELATIONS)}


class Pieces:
    def __init__(self, path):
        self.tokenizer = Tokenizer.from_file(str(path))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def of(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def join(self, first, second, longest):
        """[CLS] first [SEP] second [SEP]; the second part is cut first, then the first."""
        a, b = self.of(first), self.of(second)
        a = a[: longest - 3]
        b = b[: max(0, longest - 3 - len(a))]
        return [101, *a, 102, *b, 102], [0] * (len(a) + 2) + [1] * (len(b) + 1)


def read(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines() if line.strip()]


def teaching(pieces, row):
    """A sentence, and beside it what stands before and after."""
    around = " … ".join(part for part in (row["before"][-160:], row["after"][:160]) if part)
    return pieces.join(row["text"], around, 128)


def load(folder, pieces, seed=7):
    """All examples: {task, author, lang, ids, segments, label, key, weight}."""
    chance = random.Random(seed)
    found = []

    def put(task, row, encoded, label, key, weight=1.0):
        found.append(
            dict(task=task, author=row["author"], lang=row.get("lang", "en"), ids=encoded[0], segments=encoded[1],
                 label=label, key=key, weight=weight)
        )

    for number, row in enumerate(read(Path(folder) / "teaches.jsonl")):
        if row["label"] == "doubt":
            continue
        put("teaches", row, teaching(pieces, row), TYPES.index(row["label"]), f"{row['author']}/{row['message']}/{number}")
    for number, row in enumerate(read(Path(folder) / "pairs.jsonl")):
        weight = 0.5 if row.get("origin") == "template" else 1.0
        put("relates", row, pieces.join(row["old"], row["new"], 128), RELATIONS.index(row["label"]), str(number), weight)
        if row["label"] != "update":
            # What holds beside the other, repeats it or has nothing to do with it does so the other way round too.
            put("relates", row, pieces.join(row["new"], row["old"], 128), RELATIONS.index(row["label"]), f"{number}~", weight / 2)
    chance.shuffle(found)
    return found


def unlabelled(folder, pieces, left_out, most=1, count=9000, seed=7):
    """Pairs nobody labelled, for a student to learn from its teachers: each note beside those that share its rarest words."""
    by_author = {}
    for row in read(Path(folder) / "pairs.jsonl"):
        if row["author"] not in left_out:
            by_author.setdefault(row["author"], []).append((row["old"], row["new"]))
    found = []
    for author, pairs in by_author.items():
        known = {frozenset(pair) for pair in pairs}
        notes = sorted({text for pair in pairs for text in pair})
        words = [set(pieces.of(text)) for text in notes]
        holders = {}
        for index, own in enumerate(words):
            for word in own:
                holders.setdefault(word, []).append(index)
        for index, own in enumerate(words):
            shared = {}
            for word in own:
                if len(holders[word]) <= 40:
                    for other in holders[word]:
                        shared[other] = shared.get(other, 0) + 1 / len(holders[word])
            near = sorted((other for other in shared if other != index), key=lambda other: -shared[other])
            for other in [one for one in near if frozenset((notes[index], notes[one])) not in known][:most]:
                ids, segments = pieces.join(notes[index], notes[other], 128)
                found.append(dict(task="relates", author=author, lang="?", ids=ids, segments=segments, label=None,
                                  key=f"{author}/{index}/{other}", weight=0.5))
    return random.Random(seed).sample(found, min(count, len(found)))
