"""`permaudit check`: look for mistakes without reading a record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permaudit.config import Tree


@click.command(short_help="Find every mistake without reading a record.")
@click.argument("audit_file", type=click.Path(path_type=Path))
@click.option(
    "--policy", type=click.Path(path_type=Path), help="The policy that must be in force, whatever the audit file says."
)
@click.option("--root", type=click.Path(path_type=Path), help="Refuse every path outside this directory.")
@click.option("--quiet", "-q", is_flag=True, help="Print mistakes only.")
def command(audit_file: Path, policy: Path | None, root: Path | None, *, quiet: bool) -> None:
    """Check AUDIT_FILE, its policy, its files and their columns; every mistake is shown at once.

    Reads no record. AUDIT_FILE may also be a policy. Exits with 0 where nothing is wrong, else with 2.
    """
    from permaudit.cli.loading import load_audit
    from permaudit.cli.printing import printing
    from permaudit.config import is_policy, read_tree
    from permaudit.data import check_columns
    from permaudit.today import utc_today

    tree = read_tree(audit_file, str(audit_file))
    if is_policy(tree):
        lines = [_checked_policy(tree)]
    else:
        audit, host = load_audit(audit_file, root, policy)
        check_columns(audit, host.catalogue.readers)
        candidates, attributes = len(audit.candidates), len(audit.attributes)
        count = f"{candidates} candidate{'s' * (candidates != 1)}, {attributes} attribute{'s' * (attributes != 1)}"
        lines = [f"{audit_file}: no mistakes found; {count}"]
        lines += [
            f"{waiver.place.file}:{waiver.place.line}: this waiver expired on {waiver.expires} and will not be applied"
            for waiver in audit.waivers
            if waiver.place is not None and waiver.expires < utc_today()
        ]
    if not quiet:
        with printing():
            click.echo("\n".join(lines))


def _checked_policy(tree: Tree) -> str:
    """Check a policy alone; say how it is known."""
    from permaudit.config import allowed_plugins, check_policy
    from permaudit.plugins import load_plugins

    rules = check_policy(tree, load_plugins(allowed_plugins(tree)).catalogue)
    return f"{tree.where}: no mistakes found; a policy with {rules} rule{'s' * (rules != 1)}, sha256 {tree.file.sha256}"
