# SPDX-License-Identifier: MIT
"""Tables that numpy and every reader of Arrow take without a copy."""
import numpy

from . import _core

#: Stands for "no value" in a numpy column of numbers. Readers of Arrow get a null.
NONE = _core.NONE


class Table:
    """Rows. `table["bid"]` is a column as a numpy array; times are `timedelta64[ns]` since midnight, or of a file that
    counts from 1970 `datetime64[ns]`.

    `polars.DataFrame(table)`, `duckdb`, and `pyarrow.table(table)` read it as it is, by Arrow's PyCapsule interface;
    for pandas take `pandas.DataFrame(table.numpy())`.
    """

    def __init__(self, core):
        self._core = core

    @property
    def columns(self):
        """The names of the columns."""
        return self._core.names

    def __len__(self):
        return len(self._core)

    def __getitem__(self, name):
        if name not in self.columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.columns)}")
        kind = self._core.kind(name)
        if kind == "category":
            words = numpy.array(self._core.words(name) or [""], dtype=str)
            return words[self._core.codes(name)]
        if kind == "real":
            return self._core.reals(name)
        numbers = self._core.numbers(name)
        return numbers.view({"duration": "m8[ns]", "timestamp": "M8[ns]"}[kind]) if kind != "number" else numbers

    def numpy(self):
        """All columns, as a dict of numpy arrays."""
        return {name: self[name] for name in self.columns}

    def __arrow_c_stream__(self, requested_schema=None):
        return self._core.__arrow_c_stream__(requested_schema)

    def __repr__(self):
        def text(value):
            if value.dtype.kind in "imM" and value.view("i8") == NONE:
                return "none"
            return str(value.astype("M8[ns]"))[11:] if value.dtype.kind == "m" else value

        shown = [{name: column[row] for name, column in self.numpy().items()} for row in range(min(3, len(self)))]
        lines = ["  " + ", ".join(f"{name} {text(value)}" for name, value in row.items()) for row in shown]
        return "\n".join([f"<llmes.Table of {len(self)} rows: {', '.join(self.columns)}>", *lines])
