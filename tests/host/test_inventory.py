"""`permaudit plugins`: what is installed, allowed, refused and why, and what an audit file uses."""

from __future__ import annotations

import json

import pytest

from permaudit.installed import distribution_hash

from .test_loading import HOOK, METRIC


@pytest.fixture
def listed(permaudit):
    """Return a function that gives the list as JSON, with the exit code and what was said besides."""

    def run(*arguments):
        ran = permaudit("plugins", "--format", "json", *arguments)
        return json.loads(ran.out), ran.code, ran.err

    return run


def entry_of(found, name):
    (entry,) = [entry for entry in found["entries"] if entry["plugin"] == name]
    return entry


def test_every_plugin_is_there_with_its_distribution_version_hash_and_what_it_provides(listed):
    found, code, _ = listed()
    assert (code, found["schema"], found["api"], found["problems"]) == (0, "permaudit/plugins/1", 1, [])
    cm3 = entry_of(found, "cm3")
    assert cm3["provides"] == [{"kind": "metric", "id": "CM3", "title": "Intruder's view", "used": None}]
    assert (cm3["distribution"], cm3["state"], cm3["why"], len(cm3["sha256"])) == ("permaudit", "built-in", None, 64)


def test_what_nobody_allowed_is_refused_with_its_hash_and_not_imported(listed, install, tmp_path):
    canary = tmp_path / "imported"
    install("acme-metrics", {"acme": f"open({str(canary)!r}, 'w').close()\n{METRIC}{HOOK}"})
    found, code, _ = listed()
    acme = entry_of(found, "acme")
    assert (code, acme["state"], acme["why"]) == (0, "refused", "not listed under plugins.allow: never imported")
    assert (acme["sha256"], acme["provides"]) == (distribution_hash("acme-metrics", ["acme"]), [])
    assert not canary.exists()


def test_an_audit_file_shows_what_it_allows_and_what_it_uses(listed, install, write_audit):
    install("acme-metrics", {"acme": METRIC + HOOK})
    install("zeta", {"zeta": "raise SystemExit('imported')"})
    audit = write_audit(metrics=["CM1", "CM2", "half"], plugins={"allow": ["acme-metrics>=1"]})
    found, code, _ = listed("--audit", audit)
    assert code == 0
    acme = entry_of(found, "acme")
    assert (acme["state"], acme["provides"][0]["id"], acme["provides"][0]["used"]) == ("allowed", "half", True)
    assert entry_of(found, "zeta")["state"] == "refused"
    used = {one["id"] for entry in found["entries"] for one in entry["provides"] if one["used"]}
    assert used >= {"CM1", "CM2", "half", "threshold", "csv", "board", "no-identifiers", "memory"}
    assert not used & {"UM", "mdav", "parquet", "disk"}


@pytest.mark.parametrize(
    ("allow", "why"),
    [
        (["acme-metrics>=2"], "plugins.allow asks for 'acme-metrics>=2', but acme-metrics 1.0 is installed"),
        ([{"name": "acme-metrics", "sha256": "0" * 64}], "plugins.allow asks for the files of acme-metrics 1.0 with"),
    ],
)
def test_a_listed_plugin_that_does_not_fit_is_refused_with_the_reason(listed, install, write_audit, allow, why):
    install("acme-metrics", {"acme": METRIC + HOOK})
    found, code, err = listed("--audit", write_audit(plugins={"allow": allow}))
    acme = entry_of(found, "acme")
    assert (code, acme["state"], acme["provides"]) == (2, "refused", [])
    assert acme["why"].startswith(why)
    assert found["problems"] == [acme["why"]]
    assert err.startswith(why)


def test_every_listed_plugin_that_is_broken_is_told_not_only_the_first(listed, install, write_audit):
    install("acme-metrics", {"acme": METRIC + HOOK.replace("permaudit_metrics", "permaudit_metrix")})
    install("zeta", {"zeta": "1 / 0"})
    audit = write_audit(plugins={"allow": ["acme-metrics", "zeta", "nowhere"]})
    found, code, _ = listed("--audit", audit)
    assert code == 2
    assert [text.split(";")[0] for text in found["problems"]] == [
        "plugin 'acme' of acme-metrics 1.0: 'permaudit_metrix' is not a hook of permaudit",
        "plugin 'zeta' of zeta 1.0 cannot be imported: ZeroDivisionError: division by zero",
        "plugins.allow asks for 'nowhere', but no such plugin is installed",
    ]


def test_two_plugins_that_do_not_go_together_are_told(listed, install, write_audit):
    install("acme-metrics", {"acme": METRIC + HOOK})
    install("zeta", {"zeta": METRIC + HOOK})
    found, code, _ = listed("--audit", write_audit(plugins={"allow": ["acme-metrics", "zeta"]}))
    assert code == 2
    assert found["problems"] == ["metric 'half' is provided by both acme-metrics 1.0 and zeta 1.0; uninstall one"]


def test_the_list_for_people_says_the_same(permaudit, install, write_audit, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    install("acme-metrics", {"acme": METRIC + HOOK})
    install("zeta", {"zeta": ""})
    ran = permaudit("plugins", "--audit", write_audit(metrics=["CM2", "half"], plugins={"allow": ["acme-metrics"]}))
    assert ran.code == 0
    assert "used, acme-metrics 1.0, acme" in ran.out
    assert (
        f"allowed: plugin 'acme' of acme-metrics 1.0\n  sha256 {distribution_hash('acme-metrics', ['acme'])}" in ran.out
    )
    assert "not loaded: plugin 'zeta' of zeta 1.0\n  not listed under plugins.allow: never imported\n" in ran.out


def test_what_a_metric_of_others_needs_is_explained(permaudit, install, write_audit):
    needy = METRIC.replace("Measured,", "Measured, Needs,").replace(
        "low=", "needs=Needs(rows=True, holdout=True), low="
    )
    install("acme-metrics", {"acme": needy + HOOK})
    ran = permaudit("plugins", "show", "half", "--audit", write_audit(plugins={"allow": ["acme-metrics"]}))
    assert "\nneeds         1 attribute or more, the records themselves, a holdout\n" in ran.out
