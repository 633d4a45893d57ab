"""``mapdp-studio cluster``: one table, to the groups that the app shows first."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..optional import require
from .main import Parser, positive, progress_line, show_progress

if TYPE_CHECKING:
    from ..session.first_answer import FirstAnswer
    from ..session.project import Project

STOPPED = "Stopped: nothing was written."
#: Formats of the groups, and the package that each needs, if any.
ENDINGS = {"csv": "", "parquet": "", "xlsx": "openpyxl", "sav": "pyreadstat", "dta": ""}
MOST_LINES, MOST_ASKED = 20, 3  # groups and questions listed


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = Parser(
        prog="mapdp-studio cluster",
        description="Find groups in one table, as the app does before anything is set: columns as "
        "suggested, the model chosen by the table, as many groups as come back best.",
    )
    add, file = parser.add_argument, {"type": Path}
    add("table", **file, help="CSV, Excel, SPSS, Stata, SAS, Parquet, Feather or JSON")
    endings = f"the table with the group of every row; ends in {', '.join(ENDINGS)}"
    add("--out", **file, metavar="GROUPS.csv", help=endings)
    add("--report", **file, metavar="R.html", help="the report: one page that needs no network")
    settings = "what every column is taken for, as saved by the app or by --save-schema"
    add("--schema", **file, metavar="S.json", help=settings)
    add("--save-schema", **file, metavar="S.json", help="write the settings that were used")
    guesses = "where the cells cannot say what a column is, take the best guess, not the suggestion"
    add("--best-guesses", action="store_true", help=guesses)
    quicker = "do not let the table choose its model: quicker"
    add("--as-suggested", action="store_true", help=quicker)
    shown = "show so many, not those that come back"
    add("--groups", type=positive(int), metavar="K", help=shown)
    add("--concentration", type=positive(float), metavar="N0", help="N_0, the prior count (3)")
    add("--seed", type=int, help="of what is drawn at random (0)")
    return parser


def run(arguments: Sequence[str]) -> None:
    """Cluster, write what was asked for, and print a summary."""
    args = parser().parse_args(arguments)
    _check_files(args)
    from ..session.first_answer import first_answer

    project = _project(args)
    with progress_line():
        answer = first_answer(project, args.groups, show_progress)
        files = _made(args, project, answer)
    for path, content in files.items():
        path.write_bytes(content)
    _say(project, answer)
    for path in files:
        print(f"Written: {path}")


def _check_files(args: argparse.Namespace) -> None:
    """Raise, before any work, for files that could not be written in the end."""
    if not args.table.is_file():
        raise FileNotFoundError(2, "there is no such file", str(args.table))
    taken = [path.resolve() for path in (args.table, args.schema) if path]
    for path in filter(None, (args.out, args.report, args.save_schema)):
        if path.is_dir():
            raise ValueError(f"'{path}' is a folder: give the name of a file.")
        if not path.resolve().parent.is_dir():
            raise ValueError(f"There is no folder '{path.parent}' to write '{path.name}' into.")
        if path.resolve() in taken:
            raise ValueError(f"'{path}' would be written over: choose another name.")
        taken.append(path.resolve())
    if args.report:
        require("plotly", "A report needs")
    if args.out:
        needed = ENDINGS.get(args.out.suffix.lower().removeprefix("."))
        if needed is None:
            raise ValueError(f"'{args.out}' should end in one of {', '.join(ENDINGS)}.")
        if needed:
            require(needed, f"To write '{args.out}' needs")


def _project(args: argparse.Namespace) -> "Project":
    """The table with its settings: suggested, saved, and as the arguments say."""
    from ..exports.settings_file import load_settings
    from ..reading.tables import read_table
    from ..schema.infer import infer_schema
    from ..session.project import Project
    from ..session.table import Table

    name, content = args.table.name, args.table.read_bytes()
    saved = load_settings(args.schema.read_bytes()) if args.schema else None
    options = saved.options if saved and saved.table == name else None
    table = Table.of_file(read_table(content, options=options, name=name), name, content)
    project = Project(table, infer_schema(table.frame))
    project.asks_table = not args.as_suggested
    for remark in project.take_up(saved) if saved else ():
        print(remark, file=sys.stderr)
    while args.best_guesses and project.schema.questions:
        project.answer(project.schema.questions[0].answers[0])
        for refusal in project.refused.values():
            raise ValueError(refusal)
    overrides = {"concentration": args.concentration, "seed": args.seed}
    given = {name: value for name, value in overrides.items() if value is not None}
    project.settings = replace(project.settings, **given)
    for problem in project.problems.values():
        raise ValueError(problem)
    return project


def _made(args: argparse.Namespace, project: "Project", answer: "FirstAnswer") -> dict[Path, bytes]:
    """The files that were asked for; a report needs plotly."""
    from ..exports.script import from_file, prepared, script_of
    from ..exports.settings_file import save_settings
    from ..exports.tables import labelled, writers
    from ..methods import JUDGE, METHODS

    files: dict[Path, bytes] = {}
    table = project.table
    if args.out:
        write = dict(writers(table.frame).values()).get(args.out.suffix.lower()[1:])
        if write is None:
            raise ValueError(f"This table is too large for '{args.out}': end it in csv.")
        files[args.out] = write(labelled(table.frame, answer.groups, (), None))
    if args.report:
        from ..exports.analysis_report import Analysis, analysis_report

        script = script_of(
            prepared(from_file(table.name, table.options), table.recipe),
            answer.task,
            project.schema,
            f"{METHODS[JUDGE].title} on {table.name}, as MAP-DP Studio shows it",
            project.naming_of(answer.task).merged,
        )
        of_table = table.name, table.frame, project.schema, project.settings
        found = answer.model, answer.groups, answer.partition
        analysis = Analysis(*of_table, JUDGE, *found, script, answer.many)
        files[args.report] = analysis_report(analysis).encode()
    if args.save_schema:
        files[args.save_schema] = save_settings(project.saved()).encode()
    return files


def _say(project: "Project", answer: "FirstAnswer") -> None:
    """What was found, and which questions are open."""
    from ..public.description import Description
    from ..schema.chosen import in_words
    from ..wording import counted

    table, schema = project.table, project.schema
    groups, partition = answer.groups, answer.partition
    n_rows, n_columns = table.frame.shape
    used = len(schema.names("cluster"))
    print(f"{table.name}: {counted(n_rows, 'row')}, grouped by {used:,} of {n_columns:,} columns.")
    if schema.priors:
        print(in_words(schema.chosen))
    if answer.many is None:
        print(f"{counted(groups.n_groups, 'group')}.")
    else:
        print(answer.many.text(groups.n_groups).replace("**", ""))
    encoded = partition.columns_.encoded
    _list(Description(encoded, groups, partition, table.frame).sentences, MOST_LINES)
    if schema.questions:
        print(
            "The cells cannot say this, so the columns were taken as suggested; answer in the app"
            " and hand its settings over by --schema, or take all best guesses by --best-guesses:"
        )
        _list([question.text for question in schema.questions], MOST_ASKED)


def _list(lines: Sequence[str], most: int) -> None:
    """Print the first lines, and how many more there are."""
    more = len(lines) - most
    print(*(f"  {line}".rstrip() for line in lines[:most]), sep="\n")
    if more > 0:
        print(f"  and {more:,} more")
