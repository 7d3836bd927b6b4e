"""Bad releases whose masking is too weak, or leaves something out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import BLOCK, bad
from .desk import BOARD

if TYPE_CHECKING:
    from .desk import Desk


def _made(desk: Desk, anonymizer: str, **params: object) -> None:
    """Let permaudit make the release."""
    original = desk.people()
    made = {"release": {"anonymizer": anonymizer, "params": params}}
    bounds = {
        name: {"type": "numeric", "bounds": [float(values.min()) - 1, float(values.max()) + 1]}
        for name, values in original.items()
    }
    desk.audit(original, original, candidates=made, attributes=bounds)


@bad("one attribute bare", "masked", codes={BLOCK})
def one_attribute_bare(desk: Desk) -> None:
    """One attribute is left as it is, the others are under heavy noise."""
    original = desk.people()
    first = original.columns[0]
    desk.audit(original, desk.noisy(original, 2).assign(**{first: original[first]}))


@bad("one attribute bare under another name", "masked", codes={BLOCK})
def one_attribute_bare_elsewhere(desk: Desk) -> None:
    """One attribute is left as it is, in the column of another one."""
    original = desk.people()
    first, second = original.columns[:2]
    desk.audit(original, desk.noisy(original, 2).assign(**{second: original[first]}))


@bad("one attribute nearly bare", "masked")
def one_attribute_nearly_bare(desk: Desk) -> None:
    """One attribute has a twentieth of a standard deviation of noise, the others two."""
    original = desk.people()
    first = original.columns[0]
    release = desk.noisy(original, 2)
    release[first] = desk.noisy(original[[first]], 0.05)[first]
    desk.audit(original, release)


@bad("one attribute bare for most records", "masked")
def one_attribute_mostly_bare(desk: Desk) -> None:
    """One attribute is left as it is for 97 of 100 records."""
    original = desk.people()
    first = original.columns[0]
    release = desk.noisy(original, 2)
    release[first] = np.where(desk.rng.random(len(original)) < 0.97, original[first], release[first])
    desk.audit(original, release)


@bad("faint noise", "masked")
def faint_noise(desk: Desk) -> None:
    """Noise of a fifth of a standard deviation."""
    original = desk.people()
    desk.audit(original, desk.noisy(original, 0.2))


@bad("averaged noise", "masked")
def averaged_noise(desk: Desk) -> None:
    """The same attribute three times, each under its own noise: the mean takes the noise away."""
    original = desk.people()
    first = original.columns[0]
    wide = pd.DataFrame({f"{first}{number}": original[first] for number in range(8)}).astype(float)
    tied = wide + desk.rng.normal(size=wide.shape) * 1e-6 * wide.std().to_numpy()
    desk.audit(tied, desk.noisy(tied, 0.5))


@bad("multiplicative noise of 5 %", "masked")
def faint_multiplicative(desk: Desk) -> None:
    """Each value times something between 0.95 and 1.05."""
    _made(desk, "multiplicative-noise", beta=0.05)


@bad("groups of two", "masked")
def groups_of_two(desk: Desk) -> None:
    """Means of pairs of the most similar records."""
    _made(desk, "mdav", k=2)


@bad("groups of five", "masked")
def groups_of_five(desk: Desk) -> None:
    """Means of five of the most similar records: a fifth as many different ones are left."""
    _made(desk, "mdav", k=5)


@bad("swapped within 1 %", "masked")
def swapped_nearby(desk: Desk) -> None:
    """Values exchanged with one that is at most a hundredth of the ranks away."""
    _made(desk, "rank-swap", p=1)


@bad("Laplace noise with a large budget", "masked")
def large_budget(desk: Desk) -> None:
    """An epsilon of 1,000 is no protection."""
    _made(desk, "laplace", epsilon=1000.0)


@bad("tails coded only", "masked")
def tails_coded(desk: Desk) -> None:
    """Only the highest and lowest hundredth of each column is coded."""
    _made(desk, "top-bottom-coding", top=0.01, bottom=0.01)


@bad("a sample, not masked", "masked")
def sampled_only(desk: Desk) -> None:
    """Half of the records, verbatim, drawn by permaudit itself."""
    _made(desk, "sample-records", fraction=0.5)


@bad("records shuffled by permaudit", "masked", codes={BLOCK})
def shuffled_by_permaudit(desk: Desk) -> None:
    """The control case of the paper: whole records swapped."""
    _made(desk, "shuffle-records")


@bad("categories changed rarely", "masked")
def pram_rarely(desk: Desk) -> None:
    """One category in fifty is changed, and dates and incomes are left as they are."""
    original = desk.households()
    made = {"release": {"anonymizer": "pram", "params": {"p": 0.02}}}
    desk.audit_households(original, original, candidates=made)


@bad("ranges of two records", "masked")
def mondrian_pairs(desk: Desk) -> None:
    """Groups of two or three records share their ranges, and incomes are left as they are."""
    original = desk.households()[["BORN", "EDUCATION", "INCOME"]]
    made = {"release": {"anonymizer": "mondrian", "params": {"k": 2}}}
    desk.audit_households(original, original, candidates=made)


@bad("wide, faint noise", "masked")
def wide_faint_noise(desk: Desk) -> None:
    """Fifty attributes with noise of a third of a standard deviation."""
    original = desk.wide()
    desk.audit(original, desk.noisy(original, 0.33))


@bad("wide, five attributes nearly bare", "masked")
def wide_five_bare(desk: Desk) -> None:
    """Fifty attributes; five have little noise, the others heavy noise."""
    original = desk.wide()
    release = desk.noisy(original, 3)
    bare = original.columns[:5]
    release[bare] = desk.noisy(original[bare], 0.3)
    desk.audit(original, release)


@bad("wide, 10 % copied", "synthetic")
def wide_copied(desk: Desk) -> None:
    """Fifty attributes, of which one in ten is verbatim."""
    original = desk.wide()
    others = desk.wide()
    bare = desk.rng.random(len(original)) < 0.1
    release = pd.concat([original[bare], others[~bare]])
    desk.audit(original, desk.shuffled(release))


@bad("wide, jittered", "synthetic")
def wide_jittered(desk: Desk) -> None:
    """Fifty attributes, each value moved by a tenth of a standard deviation."""
    original = desk.wide()
    desk.audit(original, desk.shuffled(desk.noisy(original, 0.1)))


@bad("destroyed, where use is demanded", "masked", codes={BLOCK})
def destroyed_but_wanted(desk: Desk) -> None:
    """Every value is the mean of its column, and the board demands some utility."""
    original = desk.people()
    release = original * 0 + original.mean().round()
    desk.audit(original, release, rules=[*BOARD, {"rule": "threshold", "metric": "UM", "min": 0.5}])


@bad("wide, most values of a fifth", "synthetic")
def wide_most_values(desk: Desk) -> None:
    """A fifth of the records have three values in five from one person, hardly moved, and the others from somebody else."""
    original, release = desk.wide(), desk.wide()
    kept = original.columns[: original.shape[1] * 3 // 5]
    some = slice(0, len(original) // 5)
    release.loc[release.index[some], kept] = desk.noisy(original[kept], 0.02).iloc[some]
    desk.audit(original, desk.shuffled(release))


@bad("wide, yes and no, some turned over", "synthetic")
def wide_turned_over(desk: Desk) -> None:
    """A fifth of the records are copies of yes and no, of which one in ten is turned over."""
    original, others = ((desk.wide(fewest=50) > 0.2).astype(int) for _ in range(2))  # twenty answers tell nobody apart
    turned = desk.rng.random(original.shape) < 0.1
    bare = pd.Series(np.arange(len(original)) < len(original) // 5)
    release = others.mask(bare, original.where(~turned, 1 - original))
    desk.audit(original, desk.shuffled(release))


@bad("own values of one attribute for some", "masked")
def own_values_for_some(desk: Desk) -> None:
    """Heavy noise, but one value in twelve of one attribute is the person's own: whoever knows it finds the record."""
    original = desk.people()
    last = original.columns[-1]
    release = desk.noisy(original, 2)
    release[last] = np.where(desk.rng.random(len(original)) < 1 / 12, original[last], release[last])
    desk.audit(original, release)
