"""Reads the prepared rows and turns them into word pieces."""
import json
import random
from pathlib import Path

from tokenizers import Tokenizer

TYPES = ["nothing", "fact", "preference", "prohibition", "procedure", "decision", "correction"]
RELATIONS = ["unrelated", "compatible", "duplicate", "update"]
# What a question beside a note counts: those that only stand near each other in meaning are many.
KINDS = {"answers": 1.0, "near": 1.0, "other": 0.3, "strange": 0.3}
TASKS = {"teaches": len(TYPES), "relates": len(RELATIONS), "answers": 2}


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


def answering(pieces, row):
    """A note, and beside it what somebody asks or wants."""
    return pieces.join(row["note"][:400], row["question"], 160)


def load(folder, pieces, reverse=0.0, seed=7):
    """All examples: {task, author, lang, ids, segments, label, key, weight}."""
    chance = random.Random(seed)
    found = []

    def put(task, row, encoded, label, key, weight=1.0, group=None):
        found.append(
            dict(task=task, author=row["author"], lang=row.get("lang", "en"), ids=encoded[0], segments=encoded[1],
                 label=label, key=key, weight=weight, group=group)
        )

    for number, row in enumerate(read(Path(folder) / "teaches.jsonl")):
        if row["label"] == "doubt":
            continue
        put("teaches", row, teaching(pieces, row), TYPES.index(row["label"]), f"{row['author']}/{row['message']}/{number}")
    for number, row in enumerate(read(Path(folder) / "pairs.jsonl")):
        weight = 0.5 if row.get("origin") == "template" else 1.0
        put("relates", row, pieces.join(row["old"], row["new"], 128), RELATIONS.index(row["label"]), str(number), weight)
        # What holds beside the other, repeats it or has nothing to do with it does so the other way round too; and two that
        # cannot both hold cannot either way.
        back = reverse if row["label"] == "update" else 0.5
        if back > 0:
            put("relates", row, pieces.join(row["new"], row["old"], 128), RELATIONS.index(row["label"]), f"{number}~", weight * back)
    for number, row in enumerate(read(Path(folder) / "answers.jsonl")):
        kind = row["kind"]
        put("answers", row, answering(pieces, row), int(kind == "answers"), f"{row['author']}/{kind}/{number}", KINDS[kind],
            group=f"{row['author']}/{row['question']}")
    chance.shuffle(found)
    return found


class Sharing:
    """Notes by the word pieces they share with a text, rare ones first."""

    def __init__(self, pieces, notes):
        self.pieces, self.notes, self.holders = pieces, notes, {}
        for index, note in enumerate(notes):
            for word in set(pieces.of(note)):
                self.holders.setdefault(word, []).append(index)

    def near(self, text, without, count):
        shared = {}
        for word in set(self.pieces.of(text)):
            holders = self.holders.get(word, [])
            if len(holders) <= 40:
                for other in holders:
                    shared[other] = shared.get(other, 0) + 1 / len(holders)
        ranked = sorted(shared, key=lambda other: (-shared[other], other))
        return [self.notes[other] for other in ranked if self.notes[other] not in without][:count]


def unlabelled(folder, pieces, left_out, most=1, count=9000, seed=7):
    """Pairs nobody labelled, for a student to learn from its teachers: each note beside those that share its rarest words."""
    by_author = {}
    for row in read(Path(folder) / "pairs.jsonl"):
        if row["author"] not in left_out:
            by_author.setdefault(row["author"], []).append((row["old"], row["new"]))
    found = []
    for author, pairs in by_author.items():
        partners = {}
        for old, new in pairs:
            partners.setdefault(old, {old}).add(new)
            partners.setdefault(new, {new}).add(old)
        sharing = Sharing(pieces, sorted(partners))
        for index, note in enumerate(sharing.notes):
            for other in sharing.near(note, partners[note], most):
                ids, segments = pieces.join(note, other, 128)
                found.append(dict(task="relates", author=author, lang="?", ids=ids, segments=segments, label=None,
                                  key=f"{author}/{index}/{other}", weight=0.5))
    return random.Random(seed).sample(found, min(count, len(found)))
