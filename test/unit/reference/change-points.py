"""Reference partitions for bench/judge/stats/change-points.js: see README.md."""
import json
import sys

import numpy as np
import ruptures as rpt

rng = np.random.default_rng(20261125)
LEAST = 3


def case(levels, length, noise, factor):
    values = np.concatenate([rng.normal(level, noise, length) for level in levels])
    penalty = factor * noise**2 * np.log(len(values))
    # Dynamic programming over all numbers of changes: exact, unlike Pelt with a least size of a segment.
    search = rpt.Dynp(model="l2", min_size=LEAST, jump=1).fit(values)
    found = []
    for number in range(0, min(6, len(values) // LEAST)):
        ends = search.predict(n_bkps=number) if number > 0 else [len(values)]
        cost = sum(((part - part.mean()) ** 2).sum() for part in np.split(values, ends[:-1]))
        found.append((cost + penalty * number, [int(end) for end in ends[:-1]]))
    return {"values": values.tolist(), "penalty": penalty, "changes": min(found)[1]}


cases = [
    case([0.0], 30, 0.02, 10),
    case([0.0, 0.1], 6, 0.02, 10),
    case([0.0, 0.1], 15, 0.02, 10),
    case([0.0, 0.05, 0.0], 12, 0.02, 10),
    case([0.0, 0.05, 0.15, 0.1], 10, 0.01, 10),
    case([0.0, 0.03], 20, 0.02, 2),
    case([0.0, 0.02, 0.0, 0.04], 8, 0.02, 2),
]
json.dump({"ruptures": rpt.version.__version__ if hasattr(rpt, "version") else "1.1.10", "least": LEAST, "cases": cases},
          sys.stdout, indent=1)
print()
