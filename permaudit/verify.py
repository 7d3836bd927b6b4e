"""Is a bundle complete and untouched, and is a file the release that was audited: the answers, and what they rest on.

Nothing is written, and no plugin but the built-in ones is imported. There is no signature: whoever can write every file of
a bundle can make another one that is as sound. What anchors it is the id, once it is written down elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from permaudit.bundle import BESIDE, MANIFEST, UNFINISHED
from permaudit.consistency import contradictions
from permaudit.data.files import source_hash
from permaudit.errors import DataError, OutputError, PermauditError, shown
from permaudit.installed import installed_hashes
from permaudit.manifest import bundle_id, parse_manifest
from permaudit.plan import FileSource
from permaudit.report import from_json, to_json
from permaudit.report.about import about
from permaudit.report.formats import VIEWS
from permaudit.report.remarks import audit_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permaudit.outcome import CandidateResult, InputFile, Outcome
    from permaudit.plugins import Host

State: TypeAlias = Literal["intact", "broken", "unchecked"]

RESULT = VIEWS["json"].file
_HOST = "permaudit"


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, and what was found."""

    what: str
    state: State
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """All that was found of a bundle."""

    id: str
    checks: tuple[Check, ...]
    outcome: Outcome | None = None
    """None where the files are not those that were written, or hold no result."""
    release_sha256: str | None = None
    """The hash of the given file."""
    released: tuple[CandidateResult, ...] = ()
    """The candidates whose release the given file is."""

    @property
    def intact(self) -> bool:
        """Tell whether nothing is broken."""
        return self.outcome is not None and all(check.state != "broken" for check in self.checks)


def verify_bundle(
    directory: Path,
    host: Host,
    *,
    expected: str | None = None,
    inputs: Path | None = None,
    release: Path | None = None,
) -> Verification:
    """Look at everything in a bundle; raise `OutputError` where there is none.

    `expected` is the id that somebody wrote down, `inputs` the directory in which the audited files are looked for.
    """
    text = _manifest_text(directory)
    identity = bundle_id(text)
    checks = [] if expected is None else [_same_id(identity, expected)]
    try:
        manifest = parse_manifest(text)
    except OutputError as error:
        return Verification(id=identity, checks=(*checks, Check(MANIFEST, "broken", str(error))))
    files, found = _files(directory, manifest["files"])
    checks += found
    if any(check.state == "broken" for check in found):  # what was changed has nothing more to say
        return Verification(id=identity, checks=tuple(checks))
    here = installed_hashes([*host.plugins, *host.refused])
    outcome, found = _result(files[RESULT], manifest, host, here)
    checks += found
    if outcome is None:
        return Verification(id=identity, checks=tuple(checks))
    checks += _views(files, outcome, host, here)
    checks += _inputs(outcome, inputs)
    checks += _plugins(outcome, host, here)
    digest = None if release is None else _release_hash(release)
    released = tuple(one for one in outcome.candidates if digest is not None and one.sha256 == digest)
    return Verification(id=identity, checks=tuple(checks), outcome=outcome, release_sha256=digest, released=released)


# --------------------------------------------------------------------------- manifest and files


def _manifest_text(directory: Path) -> bytes:
    """Return the manifest as it stands there."""
    where = shown(str(directory), 200)
    if not directory.is_dir():
        raise OutputError(f"{where} is not a directory that `permaudit run` wrote")
    if not any(os.path.lexists(directory / name) for name in (MANIFEST, RESULT)):
        raise OutputError(f"{where} holds no result of permaudit: there is no {MANIFEST} in it")
    try:
        return _content(directory / MANIFEST)
    except OSError:
        return b""  # which is no manifest


def _content(path: Path) -> bytes:
    """Read a regular file that is no link; waits for nobody."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - a descriptor, not a path
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(0, "not a regular file")
        return stream.read()


def _same_id(identity: str, expected: str) -> Check:
    """Compare the bundle's id with the one that somebody wrote down."""
    if identity == expected:
        return Check("id", "intact", "is the one that was given")
    return Check("id", "broken", f"is {identity}, not the one that was given")


def _files(directory: Path, listed: Mapping[str, str]) -> tuple[dict[str, bytes], list[Check]]:
    """Read every file that the manifest lists; return them with what is wrong with them."""
    files: dict[str, bytes] = {}
    checks: list[Check] = []
    for name, digest in listed.items():
        try:
            content = _content(directory / name) if Path(name).name == name else b""
        except (OSError, ValueError) as error:
            what = "is missing" if isinstance(error, FileNotFoundError) else "is not a file that can be read, or a link"
            checks.append(Check(shown(name), "broken", what))
            continue
        files[name] = content
        if hashlib.sha256(content).hexdigest() != digest:
            checks.append(Check(shown(name), "broken", "is not the file that was written: its hash is another one"))
    present = {entry.name for entry in directory.iterdir()} - {MANIFEST}
    checks += (
        Check(name, "broken", "a run was ended while it wrote; run it again") for name in present & {*UNFINISHED}
    )
    added = sorted(present - set(listed) - BESIDE - {*UNFINISHED})
    checks += (Check(shown(name), "broken", "was not written by permaudit") for name in added)
    if RESULT not in listed:
        checks.append(Check(RESULT, "broken", "is not among the files of the manifest"))
    if not checks:
        checks.append(Check(MANIFEST, "intact", f"sealed; {len(listed)} files, none changed, missing or added"))
    return files, checks


# --------------------------------------------------------------------------- the result and its views


def _result(
    content: bytes, manifest: Mapping[str, Any], host: Host, here: Mapping[str, str | None]
) -> tuple[Outcome | None, list[Check]]:
    """Read the result, and hold it against itself and against the manifest."""
    try:
        outcome = from_json(content)
    except PermauditError as error:
        return None, [Check(RESULT, "broken", shown(str(error), 300))]
    ours = _is_ours(outcome, here)
    rules = {name for name, rule in host.catalogue.rules.items() if rule.card.always_on} if ours else set[str]()
    wrong = contradictions(outcome, rules)
    if manifest != {"schema": manifest["schema"], **about(outcome), "files": manifest["files"]}:
        wrong.append(f"{MANIFEST} says something else of the verdict, the inputs, the policy or the plugins")
    if ours and not _is_as_written(content, outcome):
        wrong.append("is not written as permaudit writes it")
    if wrong:
        return outcome, [Check(RESULT, "broken", text) for text in wrong]
    return outcome, [Check(RESULT, "intact", "valid, and every verdict follows from what the rules found")]


def _is_as_written(content: bytes, outcome: Outcome) -> bool:
    """Tell whether a result holds what an outcome has and nothing else, in the one way in which it is written."""
    try:
        plain = json.loads(content)
        return _same(plain, json.loads(to_json(outcome))) and (json.dumps(plain, indent=2) + "\n").encode() == content
    except ValueError:  # numbers that are none
        return False


def _same(written: Any, read: Any) -> bool:
    """Tell whether two values of JSON are the same, also in type, but for whole numbers where others may stand."""
    if isinstance(written, dict) and isinstance(read, dict):
        return list(written) == list(read) and all(_same(written[key], read[key]) for key in written)
    if isinstance(written, list) and isinstance(read, list):
        return len(written) == len(read) and all(map(_same, written, read))
    return bool(written == read) and type(read) in {type(written), *((float,) if type(written) is int else ())}


def _is_ours(outcome: Outcome, here: Mapping[str, str | None]) -> bool:
    """Tell whether the permaudit that runs here is, to the last byte, the one that wrote the result."""
    _, digest = _recorded(outcome).get(_HOST, ("", None))
    return digest is not None and digest == here.get(_HOST)


def _views(files: Mapping[str, bytes], outcome: Outcome, host: Host, here: Mapping[str, str | None]) -> Iterator[Check]:
    """Render the other files again, and compare them byte by byte."""
    by_file = {view.file: view for name, view in VIEWS.items() if name != "json"}
    for name, content in files.items():
        view = by_file.get(name)
        if name == RESULT:
            continue
        if view is None or not view.repeatable or outcome.presentation.template not in host.catalogue.templates:
            yield Check(shown(name), "unchecked", "cannot be rendered again here; only its hash was compared")
        elif view.render(outcome, host.catalogue.templates) == content:
            yield Check(name, "intact", f"says what {RESULT} says, byte by byte")
        elif _is_ours(outcome, here):
            yield Check(name, "broken", f"does not say what {RESULT} says")
        else:
            message = "another permaudit wrote it than is installed here; only its hash was compared"
            yield Check(name, "unchecked", message)


# --------------------------------------------------------------------------- inputs, plugins, release


def _inputs(outcome: Outcome, folder: Path | None) -> Iterator[Check]:
    """Compare the audited files with their hashes, where they are to be found."""
    for file in outcome.provenance.inputs:
        path = _located(file, outcome, folder)
        name = shown(file.path, 200)
        try:
            digest = None if path is None else _hash(path)
        except OSError:
            digest = None
        if digest is None:
            yield Check(name, "unchecked", "input: not found; say with --inputs where it is")
        elif digest == file.sha256:
            yield Check(name, "intact", "input: is what was audited")
        else:
            yield Check(name, "broken", "input: is not what was audited")


def _located(file: InputFile, outcome: Outcome, folder: Path | None) -> Path | None:
    """Return where an input should be: paths are relative to the audit file, which stands as it was given."""
    place = audit_place(outcome)
    audit_file = Path(place.file) if place else None
    if folder is not None:
        named = [other.path for other in outcome.provenance.inputs if Path(other.path).name == Path(file.path).name]
        near = [folder / Path(file.path).name] if len(set(named)) == 1 else []
        given = [] if Path(file.path).is_absolute() else [folder / file.path]
        return next((path for path in [*given, *near] if path.exists()), None)
    if audit_file is None or not audit_file.is_file():
        return None
    return audit_file if file.path == str(audit_file) else audit_file.parent / file.path


def _hash(path: Path) -> str | None:
    """Return the hash of a file, or of a table in parts; None for anything else."""
    if path.is_dir():
        try:
            return source_hash(FileSource(path=path, shown=str(path)))
        except DataError:
            return None
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _release_hash(path: Path) -> str:
    """Return the hash of the file that is to be released."""
    try:
        digest = _hash(path)
    except OSError as error:
        raise OutputError(f"{shown(str(path), 200)}: cannot be read: {error.strerror or 'unknown error'}") from error
    if digest is None:
        raise OutputError(f"{shown(str(path), 200)} is not a regular file")
    return digest


def _recorded(outcome: Outcome) -> dict[str, tuple[str, str | None]]:
    """Return version and hash of every distribution that took part."""
    return {plugin.distribution: (plugin.version, plugin.sha256) for plugin in outcome.provenance.plugins}


def _plugins(outcome: Outcome, host: Host, here: Mapping[str, str | None]) -> Iterator[Check]:
    """Compare the plugins that took part with those that are installed here, without importing any."""
    versions = {plugin.distribution: plugin.version for plugin in [*host.plugins, *host.refused]}
    for name, (version, digest) in _recorded(outcome).items():
        what = f"{shown(name)} {shown(version)}"
        if digest is not None and here.get(name) == digest:
            yield Check(what, "intact", "plugins: the same files are installed here")
        elif name not in here:
            yield Check(what, "unchecked", "plugins: not installed here")
        else:
            other = "with other files" if versions[name] == version else f"as {shown(versions[name])}"
            yield Check(what, "unchecked", f"plugins: installed here {other}")
