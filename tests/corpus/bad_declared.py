"""Bad releases with an audit file that declares something wrong, or demands nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .bad_parts import partly_bare
from .case import BLOCK, REVIEW, WRONG, bad

if TYPE_CHECKING:
    from .desk import Desk


@bad("masked, declared as synthetic", "synthetic")
def masked_as_synthetic(desk: Desk) -> None:
    """Rows under faint noise, in their order, declared as drawn from a model to escape CM1 and CM2."""
    original = desk.people()
    desk.audit(original, desk.noisy(original, 0.3))


@bad("masked, declared as unlinked", "masked")
def masked_as_unlinked(desk: Desk) -> None:
    """Rows under faint noise, in their order, declared as unlinked."""
    original = desk.people()
    rules = [{"rule": "threshold", "metric": "CM3", "min": 0.3}]
    desk.audit(original, desk.noisy(original, 0.3), rules=rules, candidate={"linkage": "none"})


@bad("masked and shuffled, declared as synthetic", "synthetic")
def shuffled_as_synthetic(desk: Desk) -> None:
    """Rows under a tenth of a standard deviation of noise, shuffled, declared as drawn from a model."""
    original = desk.people()
    desk.audit(original, desk.shuffled(desk.noisy(original, 0.1)))


@bad("synthetic copies, declared as masked", "masked")
def synthetic_as_masked(desk: Desk) -> None:
    """Jittered copies in random order, declared as linked by row: CM1 and CM2 see nothing."""
    original = desk.people()
    desk.audit(original, desk.shuffled(desk.noisy(original, 0.02)))


@bad("half copied and shuffled, declared as masked", "masked")
def half_copied_as_masked(desk: Desk) -> None:
    """Half of the records are verbatim, in random order among strangers, declared as linked by row."""
    original = desk.people()
    release = pd.concat([original.iloc[::2], desk.people(desk.records // 2, draw=1)])
    desk.audit(original, desk.shuffled(release))


@bad("10 % copied among heavy noise and shuffled, declared as masked", "masked")
def tenth_copied_as_masked(desk: Desk) -> None:
    """One record in ten is verbatim, the others are under heavy noise, in random order, declared as linked by row."""
    original = desk.people()
    desk.audit(original, desk.shuffled(partly_bare(desk, 0.1, original, original)))


@bad("half copied among heavy noise and shuffled, declared as masked", "masked")
def half_noise_as_masked(desk: Desk) -> None:
    """Half of the records are verbatim, the others are under heavy noise, in random order, declared as linked by row."""
    original = desk.people()
    desk.audit(original, desk.shuffled(partly_bare(desk, 0.5, original, original)))


@bad("rows shifted by one", "masked")
def rows_shifted(desk: Desk) -> None:
    """Faint noise, and each row stands where the next one belongs."""
    original = desk.people()
    release = desk.noisy(original, 0.1)
    desk.audit(original, release.iloc[np.roll(np.arange(len(release)), 1)])


@bad("wrong key", "masked")
def wrong_key(desk: Desk) -> None:
    """Faint noise, and a key that goes with somebody else's record."""
    original = desk.people().assign(ID=np.arange(desk.records))
    attributes = dict.fromkeys(original.columns.drop("ID"), "numeric")
    release = desk.noisy(original[list(attributes)], 0.1).assign(ID=desk.rng.permutation(desk.records))
    changes = {"attributes": attributes, "not_audited": {"ID": "a random number"}}
    desk.audit(original, release, **changes, candidate={"linkage": {"key": "ID"}})


@bad("weak records hidden by a wrong key", "masked")
def part_with_wrong_key(desk: Desk) -> None:
    """Half of the records are verbatim and have a key that goes with somebody else's record."""
    original = desk.people()
    noisy = desk.noisy(original, 2)
    half = desk.records // 2
    order = np.arange(desk.records)
    order[:half] = np.roll(order[:half], 7)
    release = pd.concat([original.iloc[:half], noisy.iloc[half:]]).assign(ID=order)
    attributes = dict.fromkeys(original.columns, "numeric")
    changes = {"attributes": attributes, "not_audited": {"ID": "a random number"}}
    desk.audit(original.assign(ID=np.arange(desk.records)), release, **changes, candidate={"linkage": {"key": "ID"}})


def _sampled(desk: Desk, alpha: float, held: pd.Index) -> None:
    """Release the first half of the people under noise, with a map that names others or another order."""
    original = desk.people()
    desk.write("map.csv", pd.DataFrame({"record": held + 1}))
    release = desk.noisy(original.iloc[: desk.records // 2], alpha)
    desk.audit(original, release, candidate={"linkage": {"map": "map.csv"}})


@bad("a sample as it is, with a map of those who are not in it", "masked")
def sample_of_others(desk: Desk) -> None:
    """Half of the records are verbatim, and the map says that they come from the other half: CM1 and CM2 see nothing."""
    _sampled(desk, 0, pd.RangeIndex(desk.records)[desk.records // 2 :][: desk.records // 2])


@bad("a sample under faint noise, with a map of those who are not in it", "masked")
def noisy_sample_of_others(desk: Desk) -> None:
    """Half of the records are under a third of a standard deviation of noise, and the map names the other half."""
    _sampled(desk, 0.3, pd.RangeIndex(desk.records)[desk.records // 2 :][: desk.records // 2])


@bad("weak records hidden by a wrong map", "masked")
def part_with_wrong_map(desk: Desk) -> None:
    """A quarter of the sample is verbatim, and the map gives it to somebody else; all others are well protected."""
    original = desk.people()
    half = original.iloc[: desk.records // 2]
    bare, held = len(half) // 4, np.arange(len(half))
    held[:bare] = np.roll(held[:bare], 7)
    desk.write("map.csv", pd.DataFrame({"record": held + 1}))
    release = pd.concat([half.iloc[:bare], desk.noisy(half, 2).iloc[bare:]])
    desk.audit(original, release, candidate={"linkage": {"map": "map.csv"}})


@bad("a sample under faint noise", "masked")
def faint_sample(desk: Desk) -> None:
    """Half of the records are under a tenth of a standard deviation of noise, and the map is right."""
    _sampled(desk, 0.1, pd.RangeIndex(desk.records // 2))


@bad("missing values not declared", codes={WRONG})
def missing_values(desk: Desk) -> None:
    """Some cells are empty, and the audit file does not say what that means."""
    original = desk.people()
    release = desk.protected(original)
    desk.audit(original, release.mask(desk.rng.random(release.shape) < 0.02))


@bad("missing values in the original, verbatim", codes={BLOCK})
def missing_in_both(desk: Desk) -> None:
    """The original has empty cells, and the release is the original."""
    original = desk.people()
    original = original.mask(desk.rng.random(original.shape) < 0.02)
    desk.audit(original, desk.ordered(original), missing="highest")


@bad("tiny, verbatim", codes={WRONG})
def tiny(desk: Desk) -> None:
    """Nine records of four attributes: nothing can be said."""
    original = desk.people(9)
    desk.audit(original, original)


@bad("small, faint noise")
def small(desk: Desk) -> None:
    """Twelve records of four attributes under a tenth of a standard deviation of noise."""
    original = desk.people(12)
    desk.audit(original, desk.ordered(desk.noisy(original, 0.1)))


@bad("small, half copied")
def small_half_copied(desk: Desk) -> None:
    """Sixty records, of which half are verbatim."""
    original = desk.people(60)
    desk.audit(original, partly_bare(desk, 0.5, original, original))


@bad("no limit", codes={BLOCK, REVIEW})
def no_limit(desk: Desk) -> None:
    """A protected release and an audit file that demands nothing: nobody decided."""
    original = desk.people()
    desk.audit(original, desk.protected(original), rules=[])


@bad("a limit that everything keeps", codes={BLOCK, REVIEW})
def empty_limit(desk: Desk) -> None:
    """Faint noise under limits that no release can break."""
    original = desk.people()
    rules = [{"rule": "threshold", "metric": metric, "min": 0.0} for metric in ("CM2", "CM3", "UM")]
    desk.audit(original, desk.ordered(desk.noisy(original, 0.1)), rules=rules)


@bad("a limit that nearly everything keeps", codes={BLOCK, REVIEW})
def nearly_empty_limit(desk: Desk) -> None:
    """Well protected, but nobody demanded that: an attribute told to 99.9 % would have passed as well."""
    original = desk.people()
    rules = [{"rule": "threshold", "metric": metric, "min": 0.001} for metric in ("CM1", "CM2", "CM3")]
    desk.audit(original, desk.protected(original), rules=rules)


@bad("weak masking under a limit next to zero", "masked", codes={BLOCK, REVIEW})
def weak_under_nothing(desk: Desk) -> None:
    """Noise of a fifth of a standard deviation under limits that only a verbatim copy breaks."""
    original = desk.people()
    rules = [{"rule": "threshold", "metric": metric, "min": 1e-300} for metric in ("CM1", "CM2")]
    desk.audit(original, desk.noisy(original, 0.2), rules=rules)


@bad("a limit on utility only", codes={BLOCK, REVIEW})
def utility_only(desk: Desk) -> None:
    """Faint noise under a limit on utility: the more is disclosed, the better it reads."""
    original = desk.people()
    rules = [{"rule": "threshold", "metric": "UM", "min": 0.5}]
    desk.audit(original, desk.ordered(desk.noisy(original, 0.1)), rules=rules)


@bad("CM2 limited for a synthetic release", "synthetic", codes={BLOCK})
def wrong_metric(desk: Desk) -> None:
    """A synthetic release that only CM2 is asked about, which says nothing of it."""
    original = desk.people()
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.5}]
    desk.audit(original, desk.people(draw=1), rules=rules)


@bad("rules for the other kind", codes={BLOCK, REVIEW})
def rules_for_the_other_kind(desk: Desk) -> None:
    """All limits are for the kind of release that this one is not."""
    original = desk.people()
    other = "masked" if desk.synthetic else "synthetic"
    rules = [{"rule": "threshold", "metric": name, "min": 0.05, "when": {"kind": other}} for name in ("CM2", "CM3")]
    desk.audit(original, desk.ordered(desk.noisy(original, 0.1)), rules=rules)


@bad("holdout equal to the original")
def holdout_is_the_original(desk: Desk) -> None:
    """Half of the records are verbatim, and the holdout, which should be other people, is the original."""
    original = desk.people()
    desk.write("holdout.csv", original)
    desk.audit(original, partly_bare(desk, 0.5, original, original), holdout="holdout.csv")


@bad("holdout overlaps with the original")
def holdout_overlaps(desk: Desk) -> None:
    """A third of the records is verbatim, and half of the holdout is from the original."""
    original = desk.people()
    desk.write("holdout.csv", pd.concat([original.iloc[::2], desk.people(desk.records // 2, draw=2)]))
    desk.audit(original, partly_bare(desk, 0.33, original, original), holdout="holdout.csv")


@bad("holdout is the original, jittered", "synthetic")
def holdout_is_jittered(desk: Desk) -> None:
    """Half of the records are near copies, and the holdout consists of near copies."""
    original = desk.people()
    desk.write("holdout.csv", desk.noisy(original, 0.01))
    desk.audit(original, partly_bare(desk, 0.5, desk.noisy(original, 0.01), original), holdout="holdout.csv")


@bad("masked by a fiftieth beside a holdout of such records", codes={WRONG})
def holdout_of_near_copies(desk: Desk) -> None:
    """Everybody is in the release under faint noise, and in the holdout under other faint noise: that looks like chance."""
    original = desk.people()
    desk.write("holdout.csv", desk.noisy(original, 0.02))
    desk.audit(original, desk.ordered(desk.noisy(original, 0.02)), holdout="holdout.csv")


@bad("proposed and confirmed by nobody", codes={REVIEW})
def confirmed_by_nobody(desk: Desk) -> None:
    """Well protected under what a program guessed of it, as far as anybody knows."""
    original = desk.people()
    marks = ["kind and linkage were guessed", "these limits are examples"]
    desk.audit(original, desk.protected(original), unconfirmed=marks)


@bad("holdout is the release", "synthetic")
def holdout_is_the_release(desk: Desk) -> None:
    """A third of the records is copied, and the holdout is the release itself."""
    original = desk.people()
    release = partly_bare(desk, 0.33, original, original)
    desk.write("holdout.csv", release)
    desk.audit(original, release, holdout="holdout.csv")


@bad("one attribute audited, the rest removed", "synthetic", codes={BLOCK, REVIEW})
def one_attribute(desk: Desk) -> None:
    """A synthetic release of a single attribute, for which CM3 says nothing."""
    original = desk.people().iloc[:, :1]
    desk.audit(original, desk.shuffled(original))


@bad("types that hide the order")
def types_that_hide(desk: Desk) -> None:
    """Verbatim, but rounded before it is ranked until nearly everything ties."""
    original = desk.people() * 1e-6
    types = {name: {"type": "numeric", "decimals": 2} for name in original.columns}
    desk.audit(original, desk.ordered(original), attributes=types)


@bad("bare columns outside of the audit's own scope", codes={REVIEW})
def bare_outside_of_the_scope(desk: Desk) -> None:
    """Two attributes are drawn anew and named as those to protect; all others are as they were, and tell everybody apart."""
    original = desk.people()
    named = list(original.columns[:2])
    release = original.assign(**{name: desk.rng.permutation(original[name].to_numpy()) for name in named})
    limit = {"metric": "CM3", "on": "relative", "min": 0.8} if desk.synthetic else {"metric": "CM1", "min": 0.1}
    rules = [{"rule": "threshold", **limit}, {"rule": "attributes-in-scope", "attributes": named}]
    desk.audit(original, desk.ordered(release), rules=rules)
