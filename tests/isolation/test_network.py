"""Nothing of permaudit keeps a plugin from the network, and the docs say so; a network namespace does, and costs nothing else."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from .test_audits import RULES, module

UNSHARE = ("unshare", "--net", "--map-root-user")
CALLING = "import socket\nwith socket.create_connection(('127.0.0.1', {port}), 10) as wire: wire.sendall(b'rows')\n"
VALUE = "return Measured(0.5)"


@contextmanager
def listener():
    """Give a server on this machine, and tell whether anybody called."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server


def heard(server):
    """Return what the first caller said; nothing where nobody called."""
    try:
        wire, _ = server.accept()
    except TimeoutError:
        return None
    with wire:
        return wire.recv(100)


def cannot_unshare():
    """Say why there can be no network namespace here; nothing where there can."""
    if shutil.which(UNSHARE[0]) is None:
        return "there is no unshare"
    done = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
    return f"no network namespace is permitted here: {done.stderr.strip()}" if done.returncode else ""


@pytest.fixture
def audit(distribution, write_audit, environment):
    """Return a function that audits with a metric that calls a port, in a network of its own or not; and its result."""

    def run(port, tmp_path, *before, rules=RULES):
        folder = distribution("acme", module(CALLING.format(port=port) + VALUE))
        path = write_audit(metrics=["CM2", "odd"], rules=rules, plugins={"allow": ["acme"]})
        command = [*before, sys.executable, "-m", "permaudit", "run", str(path), "--out", str(tmp_path / "out")]
        env = environment(PYTHONPATH=str(folder))
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        result = json.loads((tmp_path / "out" / "audit.json").read_bytes())
        return done.returncode, result["candidates"][0]["metrics"]

    return run


def test_isolation_keeps_no_plugin_from_the_network(audit, tmp_path):
    with listener() as server:
        code, metrics = audit(server.getsockname()[1], tmp_path, rules=RULES[:1])
        assert heard(server) == b"rows"
    assert (code, metrics["odd"]["status"]) == (0, "ok")


def test_in_a_network_namespace_it_calls_nobody_and_blocks(audit, tmp_path):
    reason = cannot_unshare()
    if reason:
        pytest.skip(reason)
    with listener() as server:
        code, metrics = audit(server.getsockname()[1], tmp_path, *UNSHARE)
        assert heard(server) is None
    assert code == 1
    assert (metrics["odd"]["status"], metrics["odd"]["reason"]) == ("error", "the metric raised OSError")
    assert metrics["CM2"]["status"] == "ok"
