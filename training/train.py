"""Trains the judges. `python3 training/train.py cv|final --data DIR --weights FILE --tokenizer FILE --out DIR`

cv:    leaves out one author after the other and writes what the model says of the left-out rows.
final: trains teachers, and from what they say a model for each file of --weights, on all authors but those of --leave-out;
       exports int8 ONNX and writes what each says of the left-out rows, to a folder of the weights' name.
"""
import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
import torch.multiprocessing as mp
from torch.nn import functional as F

from model import Judge, depth_of, load_start
from rows import TASKS, Pieces, load, unlabelled


def batches(rows, size, chance):
    """Rows of one task and of like length together, in random order; all notes beside one question stay together."""
    made = []
    for task in TASKS:
        groups = {}
        for row in rows:
            if row["task"] == task:
                groups.setdefault(row["group"] or row["key"], []).append(row)
        own = sorted(groups.values(), key=lambda group: max(len(row["ids"]) for row in group) + chance.random() * 8)
        batch = []
        for group in own:
            if batch and len(batch) + len(group) > size:
                made.append(batch)
                batch = []
            batch = batch + group
        made.append(batch)
    made = [batch for batch in made if batch]
    chance.shuffle(made)
    return made


def among_notes(logits, batch):
    """How far the note that answers a question stands behind those that do not: what the question alone tells is no help."""
    lead = logits[:, 1] - logits[:, 0]
    right = [index for index, row in enumerate(batch) if row["label"] == 1]
    if not right:
        return logits.sum() * 0
    beside = torch.tensor([
        [place == index or (row["label"] == 0 and row["group"] == batch[index]["group"]) for place, row in enumerate(batch)]
        for index in right
    ]).to(logits.device)
    others = lead[None, :].masked_fill(~beside, -1e9)
    return (torch.logsumexp(others, 1) - lead[right]).mean()


def tensors(batch, table):
    device = table.device
    longest = max(len(row["ids"]) for row in batch)
    ids = torch.zeros(len(batch), longest, dtype=torch.long)
    segments = torch.zeros_like(ids)
    mask = torch.zeros(len(batch), longest, dtype=torch.bool)
    for index, row in enumerate(batch):
        count = len(row["ids"])
        ids[index, :count] = torch.tensor(row["ids"])
        segments[index, :count] = torch.tensor(row["segments"])
        mask[index, :count] = True
    return table[ids.to(device)], segments.to(device), mask.to(device)


def train(rows, weights, device, options, seed, tasks=TASKS, soft=None):
    torch.manual_seed(seed)
    chance = random.Random(seed)
    judge = Judge(tasks, options.dropout, depth_of(weights))
    table = load_start(judge, weights).to(device)
    judge.to(device).train()
    rows = [row for row in rows if row["task"] in tasks]
    steps = options.epochs * len(batches(rows, options.batch, chance))
    optimiser = torch.optim.AdamW(judge.parameters(), lr=options.rate, weight_decay=0.01, fused=device == "cuda")
    warm = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(step / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    for _ in range(options.epochs):
        for batch in batches(rows, options.batch, chance):
            task = batch[0]["task"]
            vectors, segments, mask = tensors(batch, table)
            labels = torch.tensor([-1 if row["label"] is None else row["label"] for row in batch], device=device)
            weight = torch.tensor([row["weight"] for row in batch], device=device)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                logits = judge.head(task, judge.encode(vectors, segments, mask)).float()
            loss = F.cross_entropy(logits, labels, reduction="none", ignore_index=-1, label_smoothing=options.smooth)
            if soft is not None:
                wanted = torch.tensor([soft[row["task"], row["key"]] for row in batch], device=device)
                taught = -(wanted * F.log_softmax(logits, -1)).sum(-1)
                loss = 0.3 * loss + 0.7 * taught
            loss = (loss * weight).sum() / weight.sum()
            if task == "answers":
                loss = 0.5 * loss + 0.5 * among_notes(logits, batch)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
            optimiser.step()
            schedule.step()
    return judge.eval(), table


@torch.no_grad()
def say(judge, table, rows, size=256):
    """The probabilities for each row, by its task and key."""
    said = {}
    for task in judge.classes:
        own = sorted((row for row in rows if row["task"] == task), key=lambda row: len(row["ids"]))
        for i in range(0, len(own), size):
            batch = own[i : i + size]
            vectors, segments, mask = tensors(batch, table)
            for row, p in zip(batch, judge.head(task, judge.encode(vectors, segments, mask)).softmax(-1).tolist()):
                said[task, row["key"]] = p
    return said


def groups(rows, options):
    """Whole authors, and real prompts by repository; each by itself, or dealt out into so many folds."""
    never = set(options.leave_out.split(","))
    names = sorted({row["author"] for row in rows} - never)
    if options.folds == 0:
        return [[name] for name in names]
    return [names[fold :: options.folds] for fold in range(options.folds)]


def fold_of(job):
    left_out, seed, tasks, options = job
    pieces = Pieces(options.tokenizer)
    rows = load(options.data, pieces, options.reverse)
    never = options.leave_out.split(",")
    inside = [row for row in rows if row["author"] not in left_out and row["author"] not in never]
    outside = [row for row in rows if row["author"] in left_out]
    judge, table = train(inside, options.weights, options.device, options, seed, tasks)
    said = say(judge, table, outside)
    return [
        dict(task=row["task"], author=row["author"], lang=row["lang"], key=row["key"], label=row["label"], seed=seed,
             together=len(tasks) > 1, p=[round(float(x), 5) for x in said[row["task"], row["key"]]])
        for row in outside if (row["task"], row["key"]) in said
    ]


def cross_validate(options):
    rows = load(options.data, Pieces(options.tokenizer), options.reverse)
    jobs = []
    for left_out in groups(rows, options):
        for seed in range(options.seeds):
            if options.together:
                jobs.append((left_out, seed, TASKS, options))
            else:
                there = {row["task"] for row in rows if row["author"] in left_out}
                jobs += [(left_out, seed, {task: TASKS[task]}, options) for task in TASKS if task in there]
    with mp.get_context("spawn").Pool(options.workers) as pool, open(Path(options.out) / f"{options.name}.jsonl", "w") as out:
        for done, found in enumerate(pool.imap_unordered(fold_of, jobs), 1):
            for row in found:
                out.write(json.dumps(row) + "\n")
            print(f"{done}/{len(jobs)}", flush=True)


def teach(job):
    """What one teacher, which may be larger than the model that is shipped, says of all rows."""
    inside, asked, seed, options = job
    weights = (options.teacher_weights or options.weights).split(",")
    judge, table = train(inside, weights[seed % len(weights)], options.device, options, seed)
    print(f"teacher {seed}: {time.time() - options.began:.0f} s", flush=True)
    return say(judge, table, inside + asked)


def study(job):
    """Trains a model that may be shipped, writes what it says of the left-out rows, and exports it."""
    inside, outside, soft, weights, options = job
    from export import export

    out = Path(options.out) / Path(weights).stem
    out.mkdir(parents=True, exist_ok=True)
    judge, table = train(inside, weights, options.device, options, 1, soft=soft or None)
    write_said(out / "left-out.jsonl", outside, say(judge, table, outside))
    export(judge.cpu(), out)
    print(f"{out.name}: {time.time() - options.began:.0f} s", flush=True)


def write_said(file, rows, said):
    with open(file, "w") as out:
        for row in rows:
            p = [round(float(x), 5) for x in said[row["task"], row["key"]]]
            out.write(json.dumps(dict(task=row["task"], author=row["author"], lang=row["lang"], key=row["key"],
                                      label=row["label"], p=p)) + "\n")


def final(options):
    rows = load(options.data, Pieces(options.tokenizer), options.reverse)
    left_out = set(options.leave_out.split(","))
    inside = [row for row in rows if row["author"] not in left_out]
    outside = [row for row in rows if row["author"] in left_out]
    extra = unlabelled(options.data, Pieces(options.tokenizer), left_out, count=options.extra) if options.extra else []
    print(len(inside), "rows inside,", len(outside), "left out,", len(extra), "only teachers judge", flush=True)
    soft = {}
    if options.teachers:
        with mp.get_context("spawn").Pool(options.teachers) as pool:
            jobs = [(inside, outside + extra, 100 + seed, options) for seed in range(options.teachers)]
            for said in pool.imap_unordered(teach, jobs):
                for key, p in said.items():
                    soft[key] = [a + b / options.teachers for a, b in zip(soft.get(key, [0.0] * len(p)), p)]
        write_said(Path(options.out) / "teachers-left-out.jsonl", outside, soft)
    students = options.weights.split(",")
    with mp.get_context("spawn").Pool(len(students)) as pool:
        pool.map(study, [(inside + extra, outside, soft, weights, options) for weights in students])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("stage", choices=["cv", "final"])
    for name in ("data", "weights", "tokenizer", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--teacher-weights", default="", help="files, separated by commas, that teachers start from in turn")
    parser.add_argument("--name", default="cv")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--leave-out", default="")
    parser.add_argument("--extra", type=int, default=0, help="so many pairs that only teachers judge")
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--reverse", type=float, default=0.0)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--smooth", type=float, default=0.05)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--teachers", type=int, default=5)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    options.began = time.time()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    {"cv": cross_validate, "final": final}[options.stage](options)
    print(f"{time.time() - options.began:.0f} s")
