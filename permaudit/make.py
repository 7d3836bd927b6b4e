"""The boundary to the anonymizer plugins: a checked release comes back, or a reason why not."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from permaudit.errors import DataError, Mistake, PermauditError
from permaudit.finish import finished
from permaudit.isolation.failure import CallFailedError
from permaudit.model import Made
from permaudit.streams import stable_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from permaudit.model import Anonymizer, Original
    from permaudit.plan import MadeCandidate

_LOG = logging.getLogger("permaudit")


class BrokenAnonymizerError(Exception):
    """An anonymizer raised, or returned something that is no release; the text says which."""


def make_releases(
    anonymizer: Anonymizer, candidate: MadeCandidate, original: Original, study_seed: int | None
) -> Iterator[Made]:
    """Make every replicate of a candidate.

    The randomness is the operating system's: whoever could derive it could subtract the noise again. Only a study, which
    must not be released, is repeatable.
    """
    for replicate in range(candidate.replicates):
        yield _released(anonymizer, candidate, original, _generator(study_seed, candidate.name, replicate))


def _generator(study_seed: int | None, name: str, replicate: int) -> Generator:
    """Return the stream of one replicate: fresh entropy, or the study's own."""
    if study_seed is None:
        return np.random.default_rng()
    return np.random.default_rng([study_seed, stable_number(name), replicate])


def _released(anonymizer: Anonymizer, candidate: MadeCandidate, original: Original, rng: Generator) -> Made:
    """Call the anonymizer once, and check what comes back."""
    where = f"candidate {candidate.name}"
    try:
        made = anonymizer.anonymize(original, candidate.params, rng)
    except DataError as error:
        raise DataError(Mistake(where, None, None, mistake.message) for mistake in error.mistakes) from error
    except (PermauditError, KeyboardInterrupt):
        raise
    except CallFailedError as error:
        raise BrokenAnonymizerError(f"the anonymizer {error}") from error
    except BaseException as error:
        _LOG.exception("anonymizer %s raised", anonymizer.card.id)
        raise BrokenAnonymizerError(f"the anonymizer raised {type(error).__name__}") from error
    _check(anonymizer, original, made)
    table, notes = finished(made.table, original, to_decimals=candidate.round, to_bounds=candidate.clip)
    return replace(made, table=table, notes=(*made.notes, *notes))


def _check(anonymizer: Anonymizer, original: Original, made: object) -> None:
    """Refuse what is no release of this original."""
    if not isinstance(made, Made) or not isinstance(made.table, pa.Table):
        raise BrokenAnonymizerError(f"the anonymizer returned {type(made).__name__}, not a release")
    if made.table.column_names != original.table.column_names:
        raise BrokenAnonymizerError("the anonymizer returned other columns than it was given")
    try:
        made.table.validate(full=True)  # one with offsets that lead elsewhere would crash whoever looks at it
    except pa.ArrowException:
        raise BrokenAnonymizerError("the anonymizer returned a table that is damaged") from None
    if not isinstance(made.notes, tuple) or not all(isinstance(note, str) for note in made.notes):
        raise BrokenAnonymizerError("the anonymizer returned notes that are no tuple of texts")
    records = original.table.num_rows
    if not anonymizer.card.linked:
        return
    if made.rows is None:
        if made.table.num_rows != records:
            raise BrokenAnonymizerError("the anonymizer says that it keeps the records, but their number changed")
    elif not _are_rows(made.rows, made.table.num_rows, records):
        raise BrokenAnonymizerError("the anonymizer does not say from which original record each released one comes")


def _are_rows(rows: object, released: int, records: int) -> bool:
    """Tell whether these are distinct places of records, one for each released one."""
    if not isinstance(rows, np.ndarray) or rows.dtype.kind not in "iu" or rows.shape != (released,):
        return False
    return len(np.unique(rows)) == released and bool(((rows >= 0) & (rows < records)).all())
