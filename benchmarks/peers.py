"""What others take for the same pair of files: time, peak memory, and the ratio to permaudit.

    python benchmarks/peers.py                         all peers and sizes, and write results/peers.md
    python benchmarks/peers.py 1e4x10 sdmetrics ...    this size and these peers, and print only

Each peer is installed into an environment of its own under build/peers/, at the version named here, and runs in a process of
its own on the very same two files: normal copula with all correlations .5, lognormal margins, noise added for the release.
Correlations are strong, because SDMetrics by default leaves out pairs of weakly correlated columns. Every tool is
called once on the first 500 records, so that imports and loading are in nobody's time, and then once on all. A tool that takes
more than a limit of processor time is ended, and the table says so.

They compute other things: the table says what a user waits for, not whose algorithm is better.
"""

# ruff: noqa: PLC0415 - each peer is there only in its own environment
from __future__ import annotations

import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parent / "results" / "peers.md"
ENVIRONMENTS = Path(__file__).parents[1] / "build" / "peers"
STATUS = Path("/proc/self/status")
SIZES = ["1e4x10", "1e5x10", "1e6x10"]
OURS = "permaudit"
LIMIT = 120
"""Seconds of processor time."""
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
    import permaudit.permutation.kernels  # loading them is an import, too

    return permaudit.audit(original, release, kind="masked", metrics=["UM", "CM1", "CM2", "CM3"])


def permaudit_moments(original: Any, release: Any) -> object:
    from four_metrics import four_metrics

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
    OURS: Peer((), "UM, CM1, CM2, CM3 with baselines, intervals, attribution and rules", permaudit_four),
    "permaudit, numbers only": Peer((), "UM, CM1, CM2, CM3 from arrays", permaudit_moments),
    "scipy": Peer(("scipy==1.17.1", "pandas==2.3.3"), "rank correlations of all columns; no CM3", spearman),
    "pandas": Peer(("pandas==2.3.3", "scipy==1.17.1"), "rank correlations of all columns; no CM3", pandas_spearman),
    "statsmodels": Peer(("statsmodels==0.15.0",), "CanCorr of ranks: what CM1 and CM2 need", canonical),
    "scikit-learn": Peer(("scikit-learn==1.7.2", "pandas==2.3.3"), "CCA of ranks: what CM1 and CM2 need", cca),
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
    n, m = (int(float(part)) for part in size.split("x"))
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


def measure(name: str, folder: Path) -> dict[str, float] | str:
    """The figures of one tool, or why there are none."""
    try:
        python = interpreter(name)
    except subprocess.CalledProcessError:
        return "could not be installed"
    command = [python, __file__, "--child", name, str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    if done.returncode == -signal.SIGXCPU:
        return f"over {LIMIT} s"
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return f"failed ({done.stderr.strip().splitlines()[-1].split(':')[0] if done.stderr.strip() else 'killed'})"
    return json.loads(done.stdout.splitlines()[-1])


def row(name: str, found: dict[str, float] | str, ours: dict[str, float] | str) -> list[str]:
    what = PEERS[name].what
    version = ", ".join(PEERS[name].packages[:1])
    if isinstance(found, str):
        return [name, version, what, found, "-", "-", "-", "-"]
    ratios = [f"{found[key] / ours[key]:.1f}" if isinstance(ours, dict) else "-" for key in ("cpu", "elapsed")]
    peak = f"{found['peak'] / 2**20:.0f}" if "peak" in found else "-"
    return [name, version, what, f"{found['cpu']:.2f}", f"{found['elapsed']:.2f}", peak, *ratios]


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---", "---", "---", *["---:"] * (len(header) - 3)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(*sys.argv[2:4])))
        return
    sizes = sys.argv[1:2] or SIZES
    names = [OURS, *(sys.argv[2:] or [name for name in PEERS if name != OURS])]
    setting = (
        "# Peers, side by side\n\n"
        "Written by `benchmarks/peers.py`, explained in `benchmarks/README.md`. They compute other things. "
        f"Python {platform.python_version()}; {os.cpu_count()} processors; load when the run began: "
        f"{os.getloadavg()[0]:.1f}. What other work on the machine does to elapsed times is in them; processor times suffer "
        "less.\n\n"
        "*Times permaudit* is the ratio of processor times to the first row. *Peak* is above what the data frames take.\n"
    )
    parts: list[str] = []
    given_up: set[str] = set()
    for size in sizes:
        parts.append(compared(size, names, given_up))
        print(parts[-1])
        if not sys.argv[1:]:  # after each size: the last ones take long
            RESULTS.write_text("\n".join([setting, *parts]), encoding="utf-8")


def compared(size: str, names: list[str], given_up: set[str]) -> str:
    """The table of one size; who fails or takes too long is not tried at the next one."""
    found: dict[str, dict[str, float] | str] = {}
    with tempfile.TemporaryDirectory() as folder:
        write_files(size, Path(folder))
        for name in names:
            found[name] = "not tried: see the size before" if name in given_up else measure(name, Path(folder))
            print(size, name, found[name], flush=True)
    given_up |= {name for name, figures in found.items() if isinstance(figures, str)}
    header = ["tool", "version", "what", "processor, s", "elapsed, s", "peak, MiB", "times permaudit", "elapsed ratio"]
    return f"## {size}\n\n{table(header, [row(name, found[name], found[OURS]) for name in names])}\n"


if __name__ == "__main__":
    main()
