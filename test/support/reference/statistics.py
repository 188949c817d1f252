"""Reference numbers for bench/judge/stats: see README.md."""
import json
import sys

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20240607)


def walsh(x):
    i, j = np.triu_indices(len(x))
    return np.sort((x[i] + x[j]) / 2)


def interval(x, level):
    """The closure of {theta: p(theta) > 1 - level}: its ends are Walsh averages."""
    averages = walsh(x)
    between = np.concatenate(([averages[0] - 1], (averages[1:] + averages[:-1]) / 2, [averages[-1] + 1]))
    p = lambda theta: stats.wilcoxon(x - theta, method="exact").pvalue
    if p(between[0]) > 1 - level:
        return None
    # p rises towards the middle: the first gap from each side that is not rejected.
    low = next(k for k in range(len(between)) if p(between[k]) > 1 - level)
    high = next(k for k in reversed(range(len(between))) if p(between[k]) > 1 - level)
    return {"low": averages[low - 1], "high": averages[high]}


def critical(n, level):
    """The largest k with P(W <= k - 1) <= (1 - level)/2, from SciPy's exact one-sided p-values."""
    k, tail = 0, (1 - level) / 2
    for w in range(n * (n + 1) // 2 + 1):
        signs, rest = np.full(n, -1.0), w
        for rank in range(n, 0, -1):
            if rank <= rest:
                signs[rank - 1], rest = 1.0, rest - rank
        if stats.wilcoxon(signs * np.arange(1, n + 1), alternative="less", method="exact").pvalue > tail:
            return k
        k = w + 1


def median_interval(x, level):
    ci = stats.quantile_test(x, p=0.5).confidence_interval(confidence_level=level)
    return None if np.isnan(ci.low) or np.isnan(ci.high) else {"low": ci.low, "high": ci.high}


samples = []
for n in (4, 5, 6, 7, 8, 12, 20, 35):
    x = rng.normal(0.05, 0.06, n)
    samples.append({
        "values": x.tolist(),
        "hodgesLehmann": float(np.median(walsh(x))),
        "intervals": [{"level": level, "interval": interval(x, level)} for level in (0.9, 0.95, 0.99, 1 - 0.05 / 6)],
        "quantiles": [{"p": p, "value": float(np.quantile(x, p))} for p in (0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.99, 1)],
        "medianIntervals": [{"level": level, "interval": median_interval(x, level)} for level in (0.9, 0.95, 0.99)],
        "lag1": float(np.sum((x[1:] - x.mean()) * (x[:-1] - x.mean())) / np.sum((x - x.mean()) ** 2)),
    })

json.dump({
    "made": f"SciPy {scipy.__version__}, NumPy {np.__version__}, by statistics.py",
    "samples": samples,
    "depth": [{"n": n, "level": level, "k": critical(n, level)}
              for n in (6, 8, 12, 20, 35, 60, 100) for level in (0.95, 1 - 0.05 / 6)],
    "normalQuantiles": [{"p": p, "z": float(stats.norm.ppf(p))} for p in
                        (1e-300, 1e-20, 1e-9, 1e-4, 0.00416, 0.025, 0.074, 0.0751, 0.3, 0.5, 0.6, 0.925, 0.9251, 0.975,
                         0.99999)],
}, sys.stdout, indent=1, default=float)
print()
