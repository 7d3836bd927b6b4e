"""From data files to a first audit file: one that runs as it is, and says what only a person can know."""

from permaudit.init.proposal import Proposal, propose
from permaudit.init.rendering import Rendered, render
from permaudit.init.write import refuse_existing, write_text

__all__ = ["Proposal", "Rendered", "propose", "refuse_existing", "render", "write_text"]
