"""Decode a pickled workbook in a process that calamine may end on too large a file."""

import io
import pickle
import sys

MOST_MEMORY = 4 * 1024**3


def decode(content: bytes, title: str, most_cells: int) -> dict:
    """Rows of cells of the sheet of that title, or of the first one, and its merged cells."""
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    found = {"sheets": book.sheet_names, "title": title}
    if not title:  # the first sheet that is seen and holds a table, or anything
        seen = [
            entry.name for entry in book.sheets_metadata if str(entry.visible).endswith(".Visible")
        ]
        sheets = {name: book.get_sheet_by_name(name) for name in seen}
        filled = [name for name, sheet in sheets.items() if sheet.end is not None]
        wide = [name for name in filled if sheets[name].width > 1 and sheets[name].height > 2]
        found["title"] = [*wide, *filled, *book.sheet_names, ""][0]
    if found["title"] in found["sheets"]:
        sheet = book.get_sheet_by_name(found["title"])
        found["cells"] = (sheet.total_height + 1) * (sheet.total_width + 1)
        if found["cells"] <= most_cells:
            found["rows"] = sheet.to_python(skip_empty_area=False)
            found["merged"] = sheet.merged_cell_ranges or []
    return found


if __name__ == "__main__":
    try:
        from resource import RLIMIT_AS, setrlimit

        setrlimit(RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    except ImportError:  # Windows has no such limits
        pass
    found = decode(sys.stdin.buffer.read(), sys.argv[1], int(sys.argv[2]))
    pickle.dump(found, sys.stdout.buffer)
