"""A right audit file becomes the audit it asks for."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from permaudit.config import build_audit, check_references, read_tree
from permaudit.outcome import Place
from permaudit.plan import Attribute, Audit, FileSource, GivenCandidate, MadeCandidate, RuleUse, When

from .fakes import CATALOGUE, VALID, Limit, Noise


def audit_of(text: str, folder) -> Audit:
    path = folder / "audit.yaml"
    path.write_text(text)
    return build_audit(read_tree(path, "audit.yaml"), CATALOGUE)


def test_everything_in_the_file_is_in_the_audit(folder):
    audit = audit_of(VALID, folder)
    release = FileSource(path=folder / "release.csv", shown="release.csv")
    assert audit == Audit(
        title="Income microdata",
        original=FileSource(path=folder / "income.csv", shown="income.csv"),
        attributes=(Attribute(name="FICA"), Attribute(name="AGE")),
        identifiers=("NAME", "SSN"),
        not_audited={"WEIGHT": "public design weight"},
        candidates=(
            GivenCandidate(name="vendor-file", source=release, kind="masked", linkage="row"),
            GivenCandidate(name="synthetic", source=release, kind="synthetic", linkage="none"),
            MadeCandidate(name="noisy", anonymizer="additive-noise", params=Noise(alpha=0.5), replicates=20),
        ),
        metrics=("UM", "CM1", "CM2", "CM3"),
        rules=(
            RuleUse(
                rule="threshold",
                params=Limit(metric="CM2", min=0.05),
                when=When(kind="masked"),
                place=Place(file="audit.yaml", line=18, column=5),
                folder=folder,
            ),
            RuleUse(
                rule="threshold",
                params=Limit(metric="CM3", min=0.3),
                when=When(candidate="synthetic"),
                place=Place(file="audit.yaml", line=19, column=5),
                folder=folder,
            ),
            RuleUse(
                rule="no-identifiers",
                params=CATALOGUE.rules["no-identifiers"].parameters(),
                place=Place(file="audit.yaml", line=20, column=5),
                folder=folder,
            ),
        ),
        seed=20261118,
        files=(
            FileSource(
                path=folder / "audit.yaml", shown="audit.yaml", sha256=hashlib.sha256(VALID.encode()).hexdigest()
            ),
        ),
        documents={"audit.yaml": VALID},
        places={
            name: Place(file="audit.yaml", line=line, column=3)
            for name, line in {"vendor-file": 10, "synthetic": 11, "noisy": 12}.items()
        },
    )


def test_the_shortest_file_takes_the_defaults(folder):
    audit = audit_of(
        "permaudit: 1\ntitle: t\noriginal: income.csv\nattributes: {A: numeric}\n"
        "candidates: {r: {path: release.csv, kind: masked}, p: {anonymizer: plain}}\n",
        folder,
    )
    assert audit.metrics is None
    assert audit.rules == ()
    assert audit.seed == 0
    assert [candidate.linkage for candidate in audit.candidates if isinstance(candidate, GivenCandidate)] == ["row"]
    assert audit.candidates[1].replicates == 1


def test_a_masked_file_may_have_lost_its_linkage(folder):
    text = VALID.replace("kind: masked, linkage: row", "kind: masked, linkage: none")
    assert audit_of(text, folder).candidates[0].linkage == "none"


def test_a_file_can_declare_its_hash_and_its_format(folder):
    text = VALID.replace("original: income.csv", f"original: {{path: income.csv, sha256: {'AB' * 32}, format: csv}}")
    assert audit_of(text, folder).original == FileSource(
        path=folder / "income.csv", shown="income.csv", sha256="ab" * 32, format="csv"
    )


def test_the_original_may_be_its_own_candidate(folder):
    text = VALID.replace("{path: release.csv, kind: masked", "{path: income.csv, kind: masked")
    assert audit_of(text, folder).candidates[0].source.path == folder / "income.csv"


def test_a_limit_has_the_bounds_of_its_own_metric(folder):
    text = VALID.replace("[UM, CM1, CM2, CM3]", "[UM, CM1, CM2, CM3, distance]")
    text = text.replace("metric: CM2, min: 0.05", "metric: distance, min: 99")
    assert audit_of(text, folder).rules[0].params == Limit(metric="distance", min=99)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        (
            {"identifiers": ("FICA",)},
            [(("identifiers", 0), "identifiers[0]: column 'FICA' is named twice, first under attributes; keep one")],
        ),
        (
            {"metrics": ("UM", "CM2")},
            [
                (
                    ("rules", 1, "metric"),
                    "rules[1].metric: 'CM3' is not among metrics; add it there, or leave metrics out",
                )
            ],
        ),
        (
            {"metrics": ("UM", "CM2", "CM3", "UMM")},
            [(("metrics", 3), "metrics[3]: 'UMM' is not a known metric; did you mean 'UM'?")],
        ),
        (
            {"rules": (RuleUse(rule="threshold", params=Limit(metric="CM2", max=7), when=When(candidate="noysi")),)},
            [
                (
                    ("rules", 0, "when", "candidate"),
                    "rules[0].when.candidate: 'noysi' is not a known candidate; did you mean 'noisy'?",
                ),
                (("rules", 0, "max"), "rules[0].max must be between 0 and 1, the bounds of CM2, not 7.0"),
            ],
        ),
        (
            {"rules": (RuleUse(rule="thrshold", params=None),)},
            [(("rules", 0, "rule"), "rules[0].rule: 'thrshold' is not a known rule; did you mean 'threshold'?")],
        ),
    ],
)
def test_an_audit_that_was_built_in_python_is_checked_without_a_file(changes, expected, folder):
    audit = audit_of(VALID, folder)
    values = {name: getattr(audit, name) for name in Audit.__dataclass_fields__}
    assert check_references(Audit(**{**values, **changes}), CATALOGUE) == expected


def test_a_linked_synthetic_release_that_was_built_in_python_is_refused(folder):
    audit = audit_of(VALID, folder)
    values = {name: getattr(audit, name) for name in Audit.__dataclass_fields__}
    source = FileSource(path=folder / "release.csv", shown="release.csv", format="cvs")
    wrong = GivenCandidate(name="synthetic", source=source, kind="synthetic", linkage="row")
    assert check_references(Audit(**{**values, "candidates": (wrong,)}), CATALOGUE) == [
        (
            ("candidates", "synthetic", "format"),
            "candidates.synthetic.format: 'cvs' is not a known format; did you mean 'csv'?",
        ),
        (
            ("candidates", "synthetic", "linkage"),
            "candidates.synthetic.linkage must be 'none': a synthetic release is never linked to the original",
        ),
    ]


def test_reading_an_audit_file_loads_no_library_of_numbers():
    code = "import permaudit.config, sys; print(sorted({'numpy', 'pandas', 'pyarrow', 'scipy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
