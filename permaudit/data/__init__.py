"""Files and data frames -> encoded columns; the only room that opens microdata."""

from permaudit.data.encode import encode_table
from permaudit.data.load import Loaded, check_columns, load, load_all

__all__ = ["Loaded", "check_columns", "encode_table", "load", "load_all"]
