"""Joins what the model says of a pair with what was measured of it: logistic regression, authors left out in turn."""
import json
import sys
from pathlib import Path

import numpy as np

import report


def design(row, features):
    p = np.clip(np.array(row["p"]), 1e-4, 1 - 1e-4)
    f = np.array(features)
    logits = np.log(p) - np.log(p).mean()
    both = [f[0] * f[1], f[0] ** 2, f[6] * f[7], f[4] * f[5], f[10] * f[1], f[0] * logits[3], f[0] * logits[2], f[6] * logits[3]]
    return np.concatenate([[1.0], logits, f, both])


def fit(x, y, classes=4, strength=2.0, steps=400):
    """Multinomial logistic regression by Newton-free gradient descent with momentum; features are scaled first."""
    mean, spread = x.mean(0), x.std(0) + 1e-6
    mean[0], spread[0] = 0, 1
    z = (x - mean) / spread
    w = np.zeros((z.shape[1], classes))
    speed = np.zeros_like(w)
    onehot = np.eye(classes)[y]
    for _ in range(steps):
        logits = z @ w
        logits -= logits.max(1, keepdims=True)
        q = np.exp(logits)
        q /= q.sum(1, keepdims=True)
        speed = 0.9 * speed - 0.5 * (z.T @ (q - onehot) / len(y) + strength * w / len(y))
        w += speed
    return w, mean, spread


def said(model, x):
    w, mean, spread = model
    logits = ((x - mean) / spread) @ w
    q = np.exp(logits - logits.max(1, keepdims=True))
    return q / q.sum(1, keepdims=True)


def main(file, folder):
    features = {row["key"]: row["features"] for row in map(json.loads, (Path(folder) / "pair-features.jsonl").open())}
    rows = [row for row in report.load(file) if row["task"] == "relates"]
    x = np.array([design(row, features[row["key"]]) for row in rows])
    y = np.array([row["label"] for row in rows])
    authors = np.array([row["author"] for row in rows])
    plain = np.concatenate([x[:, :1], x[:, 5:]], 1)
    for name, data in (("features alone", plain), ("model and features", x)):
        joined = []
        for author in sorted(set(authors)):
            out = authors == author
            q = said(fit(data[~out], y[~out]), data[out])
            joined += [{**row, "p": list(p)} for row, p in zip([r for r, o in zip(rows, out) if o], q)]
        print("#####", name)
        report.report(joined)


if __name__ == "__main__":
    main(*sys.argv[1:3])
