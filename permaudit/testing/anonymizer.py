"""Does an anonymizer keep the contract? All that speaks against it, at once."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.cards import AnonymizerCard, Kind
from permaudit.census_like import census_like
from permaudit.errors import DataError, PermauditError
from permaudit.make import BrokenAnonymizerError, make_releases
from permaudit.model import Original
from permaudit.permutation import canonical_correlations, links_beyond_chance
from permaudit.plan import Attribute, MadeCandidate
from permaudit.testing.cards import check_card, check_choice, check_parameters
from permaudit.testing.failures import Inspection, described
from permaudit.testing.material import comparison_of, original_of
from permaudit.testing.printing import nothing_printed
from permaudit.testing.randomness import untouched_randomness
from permaudit.testing.worker import check_worker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permaudit.model import Anonymizer, Made

_LEAST = 1e-9
_FAR = 8.0
"""So many standard deviations beyond chance is no chance."""
_CANARY = 48_151_623
"""A value that no message may hold."""
_SEED = 11


def check_anonymizer(
    anonymizer: Anonymizer,
    params: Mapping[str, Any] | None = None,
    *,
    original: Original | None = None,
    refuses: Sequence[Original] = (),
) -> None:
    """Raise `ConformanceError` with all that is wrong with an anonymizer.

    `params` are its parameters as an audit file writes them; without, each parameter's example is taken. It works on
    `original`, or else on made-up people with numeric attributes. `refuses` are originals that it must refuse.
    """
    found = Inspection(f"anonymizer {getattr(getattr(anonymizer, 'card', None), 'id', type(anonymizer).__name__)!r}")
    with nothing_printed(found):
        if check_card(found, anonymizer, AnonymizerCard, ("parameters", "anonymize")):
            check_choice(found, anonymizer.card, "kind", get_args(Kind))
            found.expect(isinstance(anonymizer.card.linked, bool), "card", "linked is neither True nor False")
            chosen = check_parameters(found, anonymizer.parameters, params)
            if chosen is not None:
                work = original or original_of()
                made = _check_repeatable(found, anonymizer, chosen, work)
                if made is not None:
                    _check_release(found, anonymizer, work, made)
                    _check_invariance(found, anonymizer, chosen, work, made)
                _check_refusals(found, anonymizer, chosen, refuses)
    found.conclude()


# --------------------------------------------------------------------------- the same again


def _check_repeatable(found: Inspection, anonymizer: Anonymizer, params: Any, original: Original) -> Made | None:
    """Make a release twice here and once in another process, from the same input and generator."""
    before = pickle.dumps(original)
    made = []
    for seed in (1, 2):
        with untouched_randomness(found, seed):
            try:
                made.append(_made(anonymizer, params, original))
            except DataError as error:
                found.fail("release", f"refuses the original that it is checked on: {error}")
            except (BrokenAnonymizerError, PermauditError) as error:
                found.fail("release", _explained(anonymizer, params, original, error))
    found.expect(pickle.dumps(original) == before, "input", "changes what it was given; work on a copy")
    if len(made) < 2:  # noqa: PLR2004 - both calls came back
        return None
    answers = [_written(one) for one in made]
    advice = "draw from the generator that is given, and from nothing else"
    same = answers[0] == answers[1]
    found.expect(same, "deterministic", f"makes different releases from the same generator; {advice}")
    own = pickle.loads(before)  # noqa: S301 - our own, from above
    check_worker(found, _answer, anonymizer, params, own, here=answers[0])
    return made[0]


def _made(anonymizer: Anonymizer, params: Any, original: Original) -> Made:
    """Make a release at the same boundary as in an audit."""
    candidate = MadeCandidate(name="candidate", anonymizer=anonymizer.card.id, params=params)
    [made] = make_releases(anonymizer, candidate, original, _SEED)
    return made


def _answer(anonymizer: Anonymizer, params: Any, original: Original) -> tuple[Any, ...]:
    """Make a release, as plain values that can be compared."""
    return _written(_made(anonymizer, params, original))


def _written(made: Made) -> tuple[Any, ...]:
    """Return a release as plain values; numbers by their bits, or a NaN would differ from itself."""
    columns = [[repr(value) for value in made.table[name].to_pylist()] for name in made.table.column_names]
    return columns, None if made.rows is None else np.asarray(made.rows).tolist(), made.notes


def _explained(anonymizer: Anonymizer, params: Any, original: Original, error: Exception) -> str:
    """Say what the host's boundary says, with the text of what was raised."""
    try:
        anonymizer.anonymize(original, params, np.random.default_rng(_SEED))
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        return f"raised {described(raised)}; where the data rule a release out, raise DataError with what to do"
    return str(error).replace("the anonymizer ", "", 1)


# --------------------------------------------------------------------------- the release


def _check_release(found: Inspection, anonymizer: Anonymizer, original: Original, made: Made) -> None:
    """Look at what was made: no NaN, not the original itself, linked to it or not as declared."""
    for name in made.table.column_names:
        column = made.table[name]
        if pa.types.is_floating(column.type):
            wrong = pc.sum(pc.invert(pc.is_finite(column))).as_py() or 0
            found.expect(not wrong, "values", f"releases {wrong} values of '{name}' that are NaN or infinite")
    is_same = made.rows is None and _values(made.table) == _values(original.table)
    found.expect(not is_same, "release", "releases every record as it was: it protects nothing")
    found.expect(
        made.table.num_rows, "release", "releases no record at all; where the data rule a release out, raise DataError"
    )
    if not anonymizer.card.linked and not is_same:
        _check_unlinked(found, original, made)


def _check_unlinked(found: Inspection, original: Original, made: Made) -> None:
    """See that records that are declared as linked to nobody do not stand beside those that they come from."""
    numeric = [
        name
        for name, attribute in original.attributes.items()
        if attribute.type == "numeric" and not made.table[name].null_count and not original.table[name].null_count
    ]
    if not numeric or made.table.num_rows != original.table.num_rows:
        return
    before, after = (
        {name: np.asarray(table[name].to_pylist(), dtype=float) for name in numeric}
        for table in (original.table, made.table)
    )
    moments = comparison_of(before, after).moments
    linked = canonical_correlations(moments.original, moments.release, moments.cross)
    links = links_beyond_chance(float(np.prod(1 - linked.rho**2)), linked.rank_x, linked.rank_y, moments.records)
    found.expect(
        links < _FAR,
        "linkage",
        "declares linked=False, but record i of the release is still linked to record i of the original: such a release is "
        "judged by the wrong metrics; declare linked=True",
    )


def _values(table: pa.Table) -> list[list[Any]]:
    """Return the cells, whatever their types."""
    return [table[name].to_pylist() for name in table.column_names]


# --------------------------------------------------------------------------- what the release follows


def _check_invariance(found: Inspection, anonymizer: Anonymizer, params: Any, original: Original, made: Made) -> None:
    """Put records in another order and numbers in other units, where the card says that the release follows."""
    if "row-order" in anonymizer.card.invariant_to:
        order = np.random.default_rng(1).permutation(original.table.num_rows)
        with found.during("row order", "making a release of records in another order"):
            moved = _made(anonymizer, params, _with(original, original.table.take(order)))
            same = _close(moved.table, made.table.take(order))
            message = "makes another release when the records are in another order, and declares that it does not"
            found.expect(same, "row order", message)
    if "units" in anonymizer.card.invariant_to:
        with found.during("units", "making a release in other units"):
            scaled = _made(anonymizer, params, _with(original, _in_other_units(original.table)))
            same = _close(scaled.table, _in_other_units(made.table))
            message = "makes another release when attributes are in other units, and declares that it does not"
            found.expect(same, "units", message)


def _with(original: Original, table: pa.Table) -> Original:
    """Return the same original with other records."""
    return Original(table, original.attributes, original.study)


def _in_other_units(table: pa.Table) -> pa.Table:
    """Multiply numbers by powers of two, another one for each attribute: exact, so that no tie comes or goes."""
    return pa.table(
        {
            name: pc.multiply(table[name].cast(pa.float64()), 2.0 ** (3 * place - 5))
            if pa.types.is_integer(table[name].type) or pa.types.is_floating(table[name].type)
            else table[name]
            for place, name in enumerate(table.column_names)
        }
    )


def _close(one: pa.Table, other: pa.Table) -> bool:
    """Tell whether two tables differ by rounding only."""
    if one.num_rows != other.num_rows:
        return False
    for name in one.column_names:
        first, second = one[name].to_pylist(), other[name].to_pylist()
        for a, b in zip(first, second, strict=True):
            is_number = isinstance(a, int | float) and isinstance(b, int | float)
            if abs(a - b) > _LEAST * max(1.0, abs(a)) if is_number else a != b:
                return False
    return True


# --------------------------------------------------------------------------- refusals


def _check_refusals(found: Inspection, anonymizer: Anonymizer, params: Any, refuses: Sequence[Original]) -> None:
    """Give it what not every anonymizer can handle: a release or a `DataError` may come back, and nothing else."""
    for what, original in _awkward():
        _attempt(found, anonymizer, params, original, what)
    for number, original in enumerate(refuses, 1):
        if _attempt(found, anonymizer, params, original, f"original {number}, which it must refuse"):
            found.fail("refuses", f"makes a release of original {number}, which it must refuse")


def _attempt(found: Inspection, anonymizer: Anonymizer, params: Any, original: Original, what: str) -> bool:
    """Tell whether a release comes back; note everything that is neither one nor a proper refusal."""
    try:
        _made(anonymizer, params, original)
    except DataError as error:
        text = " ".join(mistake.message for mistake in error.mistakes)
        found.expect(text.strip(), "refuses", f"refuses {what} without a reason")
        found.expect(str(_CANARY) not in text, "refuses", f"quotes a value of the data when it refuses {what}")
        return False
    except (BrokenAnonymizerError, PermauditError) as error:
        reason = _explained(anonymizer, params, original, error)
        found.fail("refuses", f"given {what}, it {reason}")
        return False
    return True


def _awkward() -> Iterator[tuple[str, Original]]:
    """Return originals that are not as one would wish."""
    people: dict[str, Any] = {name: list(map(int, values)) for name, values in census_like(60).items()}
    people = {name: [_CANARY, *values[1:]] for name, values in people.items()}
    first = next(iter(people))
    yield "missing values", original_of(people | {first: [None, *people[first][1:]]})
    yield "negative values", original_of(people | {first: [-value for value in people[first]]})
    yield "a constant attribute", original_of(people | {first: [_CANARY] * 60})
    letters = [*("abc" * 20)]
    yield "a nominal attribute", original_of(people | {first: letters})
    order = {first: Attribute(name=first, type="ordinal", order=("a", "b", "c"))}
    yield "an ordinal attribute", original_of(people | {first: letters}, attributes=order)
    yield "a single attribute", original_of({first: people[first]})
