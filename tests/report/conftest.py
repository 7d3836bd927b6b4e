"""A real browser for the pages."""

from __future__ import annotations

import os
import shutil

import pytest

from .scenes import Common

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session", autouse=True)
def _scenes_in_common(tmp_path_factory):
    """Let the workers share the scenes, which take longest: the folder above those of each worker is common to all."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        Common.folder = tmp_path_factory.getbasetemp().parent / "scenes"
        Common.folder.mkdir(exist_ok=True)


@pytest.fixture(scope="session")
def browser():
    """Start the Chromium of this machine; skip where there is none."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("no Chromium on this machine: the pages were not looked at in a browser (see `make browser`)")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=list(_QUIET))
        yield started
        started.close()
