"""Files and data frames -> encoded, paired columns; the only room that opens microdata."""

from permaudit.data.carried import NOTHING, Carried, carried_by
from permaudit.data.load import Loaded, check_columns, load, unread_in
from permaudit.data.pairing import Paired
from permaudit.data.read import AuditData, Release, read_audit
from permaudit.data.scales import EncodedColumn
from permaudit.data.stored import read_audit_stored

__all__ = [
    "NOTHING",
    "AuditData",
    "Carried",
    "EncodedColumn",
    "Loaded",
    "Paired",
    "Release",
    "carried_by",
    "check_columns",
    "load",
    "read_audit",
    "read_audit_stored",
    "unread_in",
]
