"""Trains a judge. `python3 training/train.py cv|teach|final --data FILE --weights FILE --out DIR` (needs torch and numpy)

cv:    leaves out some authors after the others and writes what the model says of the left-out rows.
teach: trains on all authors but those of --leave-out and writes what it says of all rows, for others to learn from.
final: trains the same way, on what teachers say too where there are any; writes the weights as int8 (export.py makes
       ONNX of them) and what it says of the left-out rows.
"""
import argparse
import collections
import gzip
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.multiprocessing as mp
from torch.nn import functional as F

from model import Judge, depth_of, load_start, save_small
from rows import TASKS, load, longest, plan


def tensors(batch, table):
    shape = len(batch), longest(batch)
    ids, segments, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool)
    for index, row in enumerate(batch):
        count = len(row["ids"])
        ids[index, :count] = row["ids"]
        segments[index, row["first"] : count] = 1
        mask[index, :count] = True
    ids, segments, mask = (torch.from_numpy(made).to(table.device) for made in (ids, segments, mask))
    return table[ids], segments, mask


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


def loss_of(logits, batch, options, soft):
    device = logits.device
    labels = torch.tensor([row["label"] for row in batch], device=device)
    weight = torch.tensor([row["weight"] for row in batch], device=device)
    loss = F.cross_entropy(logits, labels.clamp(min=0), reduction="none", label_smoothing=options.smooth)
    if soft is not None:
        wanted = torch.tensor([soft[row["task"], row["key"]] for row in batch], device=device)
        # What nobody labelled is learned from teachers alone.
        own = torch.where(labels < 0, 0.0, options.own_label)
        loss = own * loss - (1 - own) * (wanted * F.log_softmax(logits, -1)).sum(-1)
    loss = (loss * weight).sum() / weight.sum()
    return 0.5 * loss + 0.5 * among_notes(logits, batch) if batch[0]["task"] == "answers" else loss


class Alone:
    """A process that trains by itself."""

    rank, size = 0, 1

    def average(self, gradient):
        pass


class Beside:
    """One of several processes of the same machine that train one model, each on batches of its own."""

    def __init__(self, rank, shared, barrier):
        self.rank, self.size, self.shared, self.barrier = rank, len(shared), shared, barrier

    def average(self, gradient):
        self.shared[self.rank].copy_(gradient)
        self.barrier.wait()
        torch.mean(self.shared, 0, out=gradient)
        self.barrier.wait()


def train(rows, weights, options, seed, soft=None, together=None):
    together, device = together or Alone(), options.device
    batches = plan(rows, options.passes, options.pieces, seed)
    torch.manual_seed(seed)
    judge = Judge(TASKS, options.dropout, depth_of(weights))
    table = load_start(judge, weights).to(device)
    judge.to(device).train()
    torch.manual_seed(10 * seed + together.rank)
    whole, gradient = flattened(judge)
    optimiser = torch.optim.AdamW([whole], lr=options.rate, weight_decay=0.01)
    steps = len(batches) // together.size
    warm = max(1, steps // 16)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(step / warm, max(0.02, (steps - step) / max(1, steps - warm)))
    )
    lately = collections.defaultdict(lambda: collections.deque(maxlen=60))
    for step in range(steps):
        batch = batches[step * together.size + together.rank]
        task = batch[0]["task"]
        with torch.autocast(device, torch.bfloat16):
            logits = judge.head(task, judge.encode(*tensors(batch, table)))
        loss = loss_of(logits.float(), batch, options, soft)
        gradient.zero_()
        loss.backward()
        together.average(gradient)
        gradient.mul_(1 / max(1.0, gradient.norm().item()))
        optimiser.step()
        schedule.step()
        lately[task].append(loss.item())
        if together.rank == 0 and step % 100 == 99:
            told = {name: round(sum(some) / len(some), 3) for name, some in lately.items()}
            print(f"{weights} {seed}: step {step + 1} of {steps}, {time.time() - options.began:.0f} s, {told}", flush=True)
    return judge.eval(), table


def flattened(judge):
    """All weights as one vector, and all gradients: the parts are views of them."""
    parts = list(judge.parameters())
    whole = torch.cat([part.detach().reshape(-1) for part in parts])
    gradient = torch.zeros_like(whole)
    at = 0
    for part in parts:
        part.data = whole[at : at + part.numel()].view_as(part)
        part.grad = gradient[at : at + part.numel()].view_as(part)
        at += part.numel()
    whole = torch.nn.Parameter(whole)
    whole.grad = gradient
    return whole, gradient


@torch.no_grad()
def say(judge, table, rows, size=128):
    """The probabilities for each row, by its task and key."""
    said = {}
    for task in TASKS:
        own = sorted((row for row in rows if row["task"] == task), key=lambda row: len(row["ids"]))
        for at in range(0, len(own), size):
            batch = own[at : at + size]
            for row, p in zip(batch, judge.head(task, judge.encode(*tensors(batch, table))).softmax(-1).tolist()):
                said[task, row["key"]] = p
    return said


def write_said(file, rows, said):
    with open(file, "w") as out:
        for row in rows:
            told = {name: row[name] for name in ("task", "author", "lang", "key", "label")}
            out.write(json.dumps({**told, "p": [round(x, 5) for x in said[row["task"], row["key"]]]}) + "\n")


def cross_validate(options):
    rows = [row for row in load(options.data) if row["label"] >= 0]
    never = set(options.leave_out.split(","))
    names = sorted({row["author"] for row in rows} - never)
    random.Random(1).shuffle(names)
    said, asked = {}, []
    for fold in range(options.folds):
        left_out = set(names[fold :: options.folds])
        outside = [row for row in rows if row["author"] in left_out]
        judge, table = train([row for row in rows if row["author"] not in left_out | never], options.weights, options, fold)
        said.update(say(judge, table, outside))
        asked += outside
    write_said(Path(options.out) / "cv.jsonl", asked, said)


def split(options):
    """The rows that are learned from, and those of left-out authors."""
    rows, left_out = load(options.data), set(options.leave_out.split(","))
    if options.language:
        rows = [row for row in rows if row["lang"] == options.language]
    return tuple([row for row in rows if (row["author"] in left_out) == is_out] for is_out in (False, True))


def teach(options):
    """Trains one teacher, and stores what it says of all rows, also of those that nobody labelled."""
    inside, outside = split(options)
    judge, table = train([row for row in inside if row["label"] >= 0], options.weights, options, options.seed)
    said = say(judge, table, inside + outside)
    keys = sorted(said)
    with gzip.open(Path(options.out) / f"teacher-{options.seed}.json.gz", "wt") as out:
        json.dump([[*key, [round(p, 4) for p in said[key]]] for key in keys], out)
    write_said(Path(options.out) / f"left-out-{options.seed}.jsonl", [row for row in outside if row["label"] >= 0], said)


def taught_by(files):
    """What the teachers of some files say, averaged over those that speak of a row."""
    sums, counts = {}, collections.Counter()
    for file in files:
        for task, key, p in json.load(gzip.open(file, "rt")):
            sums[task, key] = [a + b for a, b in zip(sums.get((task, key), [0.0] * len(p)), p)]
            counts[task, key] += 1
    return {at: [p / counts[at] for p in some] for at, some in sums.items()}


def study(options, together):
    """Trains the model that is shipped."""
    soft = taught_by(options.taught_by.split(",")) if options.taught_by else None
    inside, outside = split(options)
    if together.size > 1:
        torch.set_num_threads(1)
    if soft is None:
        inside = [row for row in inside if row["label"] >= 0]
    judge, table = train(inside, options.weights, options, options.seed, soft, together)
    if together.rank > 0:
        return
    save_small({name: value.cpu().numpy() for name, value in judge.state_dict().items()}, Path(options.out) / f"{options.name}.npz")
    outside = [row for row in outside if row["label"] >= 0]
    write_said(Path(options.out) / f"{options.name}-left-out.jsonl", outside, say(judge, table, outside))


def final(options):
    if options.processes == 1:
        return study(options, Alone())
    judge = Judge(TASKS, options.dropout, depth_of(options.weights))
    shared = torch.zeros(options.processes, sum(part.numel() for part in judge.parameters())).share_memory_()
    context = mp.get_context("spawn")
    barrier = context.Barrier(options.processes)
    ranks = [Beside(rank, shared, barrier) for rank in range(options.processes)]
    started = [context.Process(target=study, args=(options, together)) for together in ranks]
    for one in started:
        one.start()
    for one in started:
        one.join()


def passes_of(text):
    """`relates=3.5,teaches=2.5,answers=1`: how often the rows of each task are learned."""
    return {name: float(count) for name, count in (part.split("=") for part in text.split(","))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("stage", choices=["cv", "teach", "final"])
    for name in ("data", "weights", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--leave-out", default="", help="authors, and repositories as prompts:OWNER/NAME, by commas")
    parser.add_argument("--taught-by", default="", help="what teachers wrote, separated by commas")
    parser.add_argument("--own-label", type=float, default=0.3, help="how much a row's own label counts beside the teachers")
    parser.add_argument("--language", default="", help="learn from rows of this language alone")
    parser.add_argument("--name", default="judge")
    parser.add_argument("--processes", type=int, default=1, help="so many processes train the model together, on a CPU")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--passes", type=passes_of, default=passes_of("relates=8,teaches=4,answers=3"))
    parser.add_argument("--pieces", type=int, default=6000, help="so many word pieces are in a batch")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--smooth", type=float, default=0.05)
    parser.add_argument("--dropout", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.began = time.time()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    {"cv": cross_validate, "teach": teach, "final": final}[options.stage](options)
    print(f"{time.time() - options.began:.0f} s")
