"""compare_scores.py THEIRS OURS: fails where two answers of evaluate.py differ by more than 1e-9."""

import json
import math
import sys

TOLERANCE = 1e-9
worst = 0.0


def compare(theirs, ours, place):
    global worst
    if isinstance(theirs, dict):
        assert list(theirs) == list(ours), f"{place}: {list(theirs)} and {list(ours)}"
        for key in theirs:
            compare(theirs[key], ours[key], f"{place}/{key}")
    elif isinstance(theirs, list):
        assert len(theirs) == len(ours), f"{place}: {len(theirs)} and {len(ours)} elements"
        for i, (a, b) in enumerate(zip(theirs, ours)):
            compare(a, b, f"{place}/{i}")
    elif isinstance(theirs, float) or isinstance(ours, float):
        if math.isnan(theirs) and math.isnan(ours):
            return
        worst = max(worst, abs(theirs - ours))
        assert abs(theirs - ours) <= TOLERANCE, f"{place}: {theirs!r} and {ours!r}"
    else:
        assert theirs == ours, f"{place}: {theirs!r} and {ours!r}"


with open(sys.argv[1], encoding="utf-8") as one, open(sys.argv[2], encoding="utf-8") as other:
    theirs, ours = json.load(one), json.load(other)
compare(theirs["sets"], ours["sets"], "")
assert [line.split(":")[0] for line in theirs["printed"]] == [line.split(":")[0] for line in ours["printed"]]
images = sum(len(one["images"]) for one in theirs["sets"])
print(
    f"{len(theirs['sets'])} sets, {images} images: largest difference {worst:.1e}; "
    f"COCOEvalCap.evaluate {theirs['seconds']:.2f} s with pycocoevalcap, {ours['seconds']:.2f} s with "
    f"saccade.metrics: {theirs['seconds'] / ours['seconds']:.0f} times faster"
)
