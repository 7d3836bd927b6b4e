"""Files and data frames -> encoded, paired columns; the only room that opens microdata."""

from permaudit.data.carried import NOTHING, Carried, carried_by_each
from permaudit.data.encode import noted
from permaudit.data.jointly import told_jointly
from permaudit.data.load import Loaded, check_columns, load, unread_in
from permaudit.data.maps import map_table
from permaudit.data.pairing import Paired
from permaudit.data.read import AuditData, Release, read_audit
from permaudit.data.respelt import respelt_in
from permaudit.data.scales import EncodedColumn
from permaudit.data.tokens import NOTHING_BLANKED, Blanked, blanked_by

__all__ = [
    "NOTHING",
    "NOTHING_BLANKED",
    "AuditData",
    "Blanked",
    "Carried",
    "EncodedColumn",
    "Loaded",
    "Paired",
    "Release",
    "blanked_by",
    "carried_by_each",
    "check_columns",
    "load",
    "map_table",
    "noted",
    "read_audit",
    "respelt_in",
    "told_jointly",
    "unread_in",
]
