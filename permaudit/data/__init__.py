"""Files and data frames -> encoded, paired columns; the only room that opens microdata."""

from permaudit.data.load import Loaded, check_columns, load
from permaudit.data.pairing import Paired
from permaudit.data.read import AuditData, Release, read_audit
from permaudit.data.scales import EncodedColumn

__all__ = ["AuditData", "EncodedColumn", "Loaded", "Paired", "Release", "check_columns", "load", "read_audit"]
