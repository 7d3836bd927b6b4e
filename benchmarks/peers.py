"""What others take for the same pair of files: time, peak memory, and the ratio to permaudit.

    python benchmarks/peers.py                         all peers and sizes
    python benchmarks/peers.py 1e4x10 sdmetrics ...    this size and these peers, and the rest as it was measured before

Writes results/peers.md after each figure; the figures are kept in build/peers/figures.json.

Each peer is installed into an environment of its own under build/peers/, at the version named here, and runs in a process of
its own on the very same two files: normal copula with all correlations .5, lognormal margins, noise added for the release.
Correlations are strong, because SDMetrics by default leaves out pairs of weakly correlated columns. Every tool is
called once on the first 500 records, so that imports and loading are in nobody's time, and then once on all. A tool that takes
more than a limit of processor time is ended, and the table says so.

They compute other things: the table says what a user waits for, not whose algorithm is better.
"""

# ruff: noqa: PLC0415 - each peer is there only in its own environment
from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parent / "results" / "peers.md"
ENVIRONMENTS = Path(__file__).parents[1] / "build" / "peers"
STATUS = Path("/proc/self/status")
SIZES = ["1e4x10", "1e5x10", "1e6x10"]
FIGURES = ENVIRONMENTS / "figures.json"
OURS = "permaudit"
NUMBERS = "permaudit, numbers only"
LIMIT = 120
"""Seconds of processor time."""
COLUMNS = ["tool", "version", "what", "processor, s", "elapsed, s", "load", "peak, MiB"]
COLUMNS += [f"/ {whose}, {time}" for whose in ("audit", "numbers only") for time in ("processor", "elapsed")]
CORRELATION = 0.5
NOISE = 0.5
SEED = 20261118
WARM_UP = 500


class Peer(NamedTuple):
    """Somebody else's tool."""

    packages: tuple[str, ...]
    """What is installed; nothing for permaudit itself, which runs where this script does."""
    what: str
    """What is computed."""
    call: Callable[[Any, Any], object]
    """The call on two data frames."""


# ------------------------------------------------------------------ the calls; each imports what only its environment has


def permaudit_four(original: Any, release: Any) -> object:
    import permaudit

    import_module("permaudit.permutation.kernels")  # loading them is an import, too
    return permaudit.audit(original, release, kind="masked", metrics=["UM", "CM1", "CM2", "CM3"])


def permaudit_moments(original: Any, release: Any) -> object:
    from four_metrics import four_metrics

    import_module("permaudit.permutation.kernels")  # loading them is an import, too
    return four_metrics(*([side[name].to_numpy() for name in side] for side in (original, release)))


def spearman(original: Any, release: Any) -> object:
    from scipy.stats import spearmanr

    return spearmanr(np.hstack([original, release]))


def pandas_spearman(original: Any, release: Any) -> object:
    import pandas as pd

    return pd.concat([original, release.add_prefix("y")], axis=1).corr("spearman")


def canonical(original: Any, release: Any) -> object:
    from scipy.stats import rankdata
    from statsmodels.multivariate.cancorr import CanCorr

    return CanCorr(rankdata(release.to_numpy(), axis=0), rankdata(original.to_numpy(), axis=0)).corr_test()


def cca(original: Any, release: Any) -> object:
    from scipy.stats import rankdata
    from sklearn.cross_decomposition import CCA

    model = CCA(n_components=original.shape[1], max_iter=2000)
    return model.fit(rankdata(original.to_numpy(), axis=0), rankdata(release.to_numpy(), axis=0))


def metadata(frame: Any) -> dict[str, Any]:
    return {"columns": {name: {"sdtype": "numerical"} for name in frame}}


def quality(original: Any, release: Any) -> object:
    from sdmetrics.reports.single_table import QualityReport

    report = QualityReport()
    report.generate(original, release, metadata(original), verbose=False)
    return report.get_score()


def diagnostic(original: Any, release: Any) -> object:
    from sdmetrics.reports.single_table import DiagnosticReport

    report = DiagnosticReport()
    report.generate(original, release, metadata(original), verbose=False)
    return report.get_score()


def linkability(original: Any, release: Any) -> object:
    from anonymeter.evaluators import LinkabilityEvaluator

    names = list(original)
    half = len(names) // 2
    attacks = min(500, len(original) // 2)
    evaluator = LinkabilityEvaluator(original, release, (names[:half], names[half:]), n_attacks=attacks, n_neighbors=1)
    return evaluator.evaluate(n_jobs=1).risk()


def k_anonymity(original: Any, release: Any) -> object:  # noqa: ARG001 - it looks at the release alone
    from pycanon import anonymity

    return anonymity.k_anonymity(release, list(release))


def syntheval(original: Any, release: Any) -> object:
    from syntheval import SynthEval

    evaluation = SynthEval(original, cat_cols=[], verbose=False, enable_plots=False, console="off")
    return evaluation.evaluate(release, presets_file="fast_eval")


PEERS = {
    OURS: Peer((), "UM, CM1, CM2, CM3 with baselines, intervals, attribution, copies and rules", permaudit_four),
    NUMBERS: Peer((), "UM, CM1, CM2, CM3 from arrays", permaudit_moments),
    "scipy": Peer(("scipy==1.17.1", "pandas==2.3.3"), "rank correlations of all columns; no CM3", spearman),
    "pandas": Peer(("pandas==2.3.3", "scipy==1.17.1"), "rank correlations of all columns; no CM3", pandas_spearman),
    "statsmodels": Peer(("statsmodels==0.15.0",), "CanCorr of ranks: what CM1 and CM2 need", canonical),
    "scikit-learn": Peer(
        ("scikit-learn==1.7.2", "pandas==2.3.3"), "CCA of ranks, up to 2000 iterations: what CM1 and CM2 need", cca
    ),
    "sdmetrics": Peer(("sdmetrics==0.32.0",), "QualityReport: shapes of columns, trends of pairs", quality),
    "sdmetrics, diagnostic": Peer(("sdmetrics==0.32.0",), "DiagnosticReport: validity and structure", diagnostic),
    "anonymeter": Peer(("anonymeter==1.1.0",), "linkability risk, 500 attacks on half the columns each", linkability),
    "pycanon": Peer(("pycanon==1.3.6",), "k of k-anonymity, release alone", k_anonymity),
    "syntheval": Peer(("syntheval==1.7.3",), "its preset fast_eval", syntheval),
}

# ------------------------------------------------------------------ what runs in a peer's environment


def status(field: str) -> int:
    """A memory figure of this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def child(name: str, folder: str) -> dict[str, float]:
    import pandas as pd

    frames = []
    for side in ("original", "release"):
        values = np.load(Path(folder) / f"{side}.npy")
        frames.append(pd.DataFrame(values, columns=[f"a{place}" for place in range(values.shape[1])]))
    call = PEERS[name].call
    call(*(frame.head(WARM_UP) for frame in frames))
    spent = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + LIMIT, resource.RLIM_INFINITY))
    measured = {}
    if STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        measured["before"] = status("VmRSS")
    start, cpu = time.perf_counter(), time.process_time()
    call(*frames)
    measured |= {"elapsed": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    if STATUS.exists():
        measured["peak"] = status("VmHWM") - measured["before"]
    return measured


# ------------------------------------------------------------------ what is said about it


def write_files(size: str, folder: Path) -> None:
    n, m = records_and_attributes(size)
    rng = np.random.default_rng(SEED)
    common = rng.standard_normal((n, 1))
    normal = np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * rng.standard_normal((n, m))
    np.save(folder / "original.npy", np.exp(normal))
    np.save(folder / "release.npy", np.exp(normal + NOISE * rng.standard_normal((n, m))))


def interpreter(name: str) -> str:
    """The Python of a peer's environment, made when it is first needed."""
    packages = PEERS[name].packages
    if not packages:
        return sys.executable
    folder = ENVIRONMENTS / name.split(",", maxsplit=1)[0]
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        subprocess.run(install, check=True, stdout=sys.stderr)
        (folder / "ready").touch()
    return str(python)


def measure(name: str, folder: Path) -> dict[str, Any]:
    """The figures of one tool, or why there are none."""
    try:
        python = interpreter(name)
    except subprocess.CalledProcessError:
        return {"why": "could not be installed"}
    command = [python, __file__, "--child", name, str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    if done.returncode == -signal.SIGXCPU:
        return {"why": f"over {LIMIT} s"}
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        last = (done.stderr.strip().splitlines() or ["killed"])[-1]
        return {"why": f"failed ({last.split(':')[0]})"}
    return {"load": os.getloadavg()[0], **json.loads(done.stdout.splitlines()[-1])}


Figures = dict[str, dict[str, Any]]
"""By tool: processor and elapsed time, the peak, and the load of the machine; or why there are none."""


def row(name: str, figures: Figures) -> list[str]:
    found = figures[name]
    start = [name, ", ".join(PEERS[name].packages[:1]), PEERS[name].what]
    if "why" in found:
        return [*start, found["why"], *["-"] * (len(COLUMNS) - len(start) - 1)]
    ratios = [
        f"{found[of] / figures[ours][of]:.2g}" if of in figures.get(ours, {}) else "-"
        for ours in (OURS, NUMBERS)
        for of in ("cpu", "elapsed")
    ]
    peak = f"{found['peak'] / 2**20:.0f}" if "peak" in found else "-"
    return [*start, f"{found['cpu']:.2f}", f"{found['elapsed']:.2f}", f"{found['load']:.0f}", peak, *ratios]


def table(figures: Figures) -> str:
    rows = [row(name, figures) for name in PEERS if name in figures]
    lines = [COLUMNS, ["---", "---", "---", *["---:"] * (len(COLUMNS) - 3)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(figures: dict[str, Figures]) -> str:
    FIGURES.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    parts = [
        f"## {size}\n\n{table(figures[size])}\n" for size in sorted(figures, key=lambda size: float(size.split("x")[0]))
    ]
    text = (
        "# Peers, side by side\n\n"
        "Written by `benchmarks/peers.py`, explained in `benchmarks/README.md`. They compute other things. "
        f"Python {platform.python_version()}; {os.cpu_count()} processors. *Load* is that of the machine when the tool ran: "
        "above the number of processors, elapsed times say little, and processor times suffer from shared caches.\n\n"
        "The last columns are ratios of processor and of elapsed times, to the whole audit and to its four numbers alone. *Peak* is "
        "above what the data frames take.\n\n" + "\n".join(parts)
    )
    RESULTS.write_text(text, encoding="utf-8")
    return text


def records_and_attributes(size: str) -> tuple[int, int]:
    n, m = (int(float(part)) for part in size.split("x"))
    return n, m


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure other tools on the same pair of files.")
    parser.add_argument("size", nargs="?", help=f"records and attributes, as 1e5x10; otherwise {', '.join(SIZES)}")
    parser.add_argument("peer", nargs="*", help=f"of {'; '.join(PEERS)}")
    chosen = parser.parse_args()
    try:
        records_and_attributes(chosen.size or SIZES[0])
    except ValueError:
        parser.error(f"{chosen.size} is no size, such as 1e5x10")
    if unknown := [name for name in chosen.peer if name not in PEERS]:
        parser.error(f"{unknown[0]} is none of {'; '.join(PEERS)}")
    return chosen


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(*sys.argv[2:4])))
        return
    chosen = arguments()
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    text = ""
    given_up: set[str] = set()
    for size in [chosen.size] if chosen.size else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            write_files(size, Path(folder))
            for name in chosen.peer or PEERS:
                found = {"why": "not tried: see the size before"} if name in given_up else measure(name, Path(folder))
                print(size, name, found, flush=True)
                figures: dict[str, Figures] = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
                figures.setdefault(size, {})[name] = found
                given_up |= {name} if "why" in found else set()
                text = write(figures)
    print(text)


if __name__ == "__main__":
    main()
