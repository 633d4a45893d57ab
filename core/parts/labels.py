"""Labels of a part on disk, and how those of one visit are read at the next."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

import numpy as np

from .place import Place

#: A row's cluster, the one it would move to, and in which half of each proposed split it would be.
LABEL = np.dtype([("label", "<i4"), ("proposal", "<i4"), ("sides", "u1")])
#: Rows fall into so many classes by a hash of their number: those that move when not all may.
N_CLASSES = 8
NO_ROWS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Reading:
    """What was decided since the labels of a visit were written."""

    #: int64, shape (K,). Where the clusters of that visit are now.
    old_to_new: np.ndarray
    #: Rows of the first so many classes move to their proposals.
    accepted: int = 0
    #: (cluster, proposal, new cluster): rows on the second side of a split that was accepted.
    splits: tuple[tuple[int, int, int], ...] = ()
    #: int64. Rows, in rising order, that were moved one by one, and where to.
    rows: np.ndarray = field(default_factory=lambda: NO_ROWS)
    labels: np.ndarray = field(default_factory=lambda: NO_ROWS)

    def of_part(self, first: int, n_rows: int) -> Reading:
        """What of it concerns some neighbouring rows."""
        inside = slice(*np.searchsorted(self.rows, [first, first + n_rows]))
        return Reading(
            self.old_to_new, self.accepted, self.splits, self.rows[inside], self.labels[inside]
        )

    def read(self, written: np.ndarray, first: int, seed: int) -> np.ndarray:
        """Labels, shape (n,), of neighbouring rows from what was written of them."""
        before = written["label"]
        labels = self.old_to_new[before]
        if self.accepted:
            moves = np.flatnonzero(written["proposal"] != before)
            moves = moves[classes(first + moves, seed) < self.accepted]
            labels[moves] = self.old_to_new[written["proposal"][moves]]
        for cluster, proposal, new in self.splits:
            labels[(before == cluster) & (written["sides"] >> proposal & 1 == 1)] = new
        inside = slice(*np.searchsorted(self.rows, [first, first + len(written)]))
        labels[self.rows[inside] - first] = self.labels[inside]
        return labels


def shares(rows: np.ndarray, seed: int) -> np.ndarray:
    """A number in [0, 1) for every row number, the same whoever asks (splitmix64, Steele 2014)."""
    with np.errstate(over="ignore"):
        z = rows.astype(np.uint64) + np.uint64(seed % 2**32) * np.uint64(0xD1342543DE82EF95)
        z = (z + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 2.0**53


def classes(rows: np.ndarray, seed: int) -> np.ndarray:
    """Class of every row number, 0..7."""
    return (shares(rows, seed) * N_CLASSES).astype(np.int64)


def label_file(folder: Place, visit: int, first_row: int) -> Place:
    """Where the labels of a part are kept."""
    return folder_of_visit(folder, visit) / label_name(first_row)


def label_name(first_row: int) -> str:
    """Name of the labels of the part that begins with a row."""
    return f"{first_row:014d}.npy"


def folder_of_visit(folder: Place, visit: int) -> Place:
    """Where all labels of a visit are kept, and what every worker was told."""
    return folder / f"visit-{visit:05d}"


def write_array(place: Place, array: np.ndarray) -> None:
    """Write an array to a file of its own."""
    file = io.BytesIO()
    np.save(file, array)
    place.write(file.getbuffer())


def read_array(place: Place) -> np.ndarray:
    """The array of a file."""
    return np.load(io.BytesIO(place.read()))
