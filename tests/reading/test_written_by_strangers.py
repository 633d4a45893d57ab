"""What strangers brought: tables that were read wrongly in silence, and others of their kinds."""

import codecs
import io
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mapdp_studio.core import ReadOptions, TableError, infer_schema, read_table

from .test_workbook import workbook


def rows(names: str, *cells: str, sep: str = ",") -> bytes:
    """A table in which each line after the names is given, repeated to make 24."""
    lines = [*cells] * (24 // len(cells) + 1)
    return "\n".join([names, *(line.replace(",", sep) for line in lines[:24])]).encode()


def notes_on(frame: pd.DataFrame, name: str) -> str:
    return " ".join(note for note in frame.attrs["notes"] if f"'{name}'" in note)


#: Cells of several answers, as forms and programs write them, and others that only look so.
SEVERAL, ONE = "several answers", ""
ANSWERS = [
    *(("1,2,4|4|3,4|1,4", SEVERAL), ("2,4,1|4|4,3|4,1", SEVERAL), ("1 2 4|4|3 4|1 4", SEVERAL)),
    *(("Fever;Cough|Cough|Fever;Rash|Rash", SEVERAL), ("A, B|B|A|B, C|C", SEVERAL)),
    *(("1;3;|3;|1;|2;3;", SEVERAL), ("Fever;Cough;|Cough;|Rash;Fever;|Rash;", SEVERAL)),
    *(("Dog\nCat|Cat|Dog\nBird|Bird", SEVERAL), ("E11.9; I10|E11.9|J45.0; I10|J45.0", SEVERAL)),
    *(("Walk (1 h, far), Bus 42|Bus 42", ONE), ("Go (1 h, far), Bus|Bus|Go (1 h, far)", SEVERAL)),
    *(("A\u3001B|B|A\u3001C|C|A", SEVERAL), ("A\\B|B|A\\C|C|A", SEVERAL)),
    *(("{a,b}|{a}|{a,c}|{b}|{c}", SEVERAL), ("['a', 'b']|['b']|['a', 'c']|['c']", SEVERAL)),
    *(("milk, nuts|nuts|milk|none", SEVERAL), ("leicht, arg|leicht|mittel, arg|arg", SEVERAL)),
    *(("a;s|s|s|a;m;s|none|a", SEVERAL), ("Pain / Rash|Pain|Rash|Rash / Pain / Fit|Fit", SEVERAL)),
    *(("rice|maize|rice beans|beans|maize rice|maize beans|maize rice beans", SEVERAL),),
    *(("a) yes|b) no|a) yes, b) no|a) yes", SEVERAL), ("very good|good|very bad|bad|so so", ONE)),
    *(("+/-|-|+", ONE), ("Ulm, Germany|Bonn, Germany|Ulm|Kiel", ONE)),
    *(("Jan 5, 2020|May 7, 2020|May 7, 2021", ONE),),
]
#: A table, one of its columns, its first cells as they should be read, and words of the note on it.
READ = [
    # One quoted cell must not make a column of three decimals a thousand times as large.
    (b'answers,lab\n"1,2",1.508\n3,0.589\n3,1.184\n', "lab", [1.508, 0.589, 1.184], ""),
    (b'pay,lab\n"1,200",1.508\n"900",0.589\n"2,000",1.184\n', "lab", [1.508, 0.589, 1.184], ""),
    (b"x;lab\n1,25;0.833\n2,5;1.412\n3,75;1.024\n", "lab", [0.833, 1.412, 1.024], ""),
    (b"x;lab\n1.5;0,833\n2.5;1,412\n3.5;1,024\n", "lab", [0.833, 1.412, 1.024], ""),
    # Signs of groups, blanks, line ends and missing cells.
    (b"a;b\n1.234,5;x\n2,25;y\n", "a", [1234.5, 2.25], ""),
    (b"a;b\n1 234,5;x\n2,25;y\n", "a", [1234.5, 2.25], ""),
    (b'a,b\n"1,234",x\n"2,345",y\n', "a", [1234, 2345], "it could be 1.234"),
    (b"a\n1,5\n2,5\n", "a", [1.5, 2.5], "may be"),
    (b"a;b\n1.234;x\n2.345;y\n", "a", [1.234, 2.345], "it could be 1,234"),
    (b"a,b\n 1 , x \n NA , y \n", "a", [1, None], ""),
    (b"a,b\nNone,unknown\nmild,x\n", "a", ["None", "mild"], ""),
    (b"sep=;\na;b\n1,5;x\n2,5;y\n", "a", [1.5, 2.5], "may be"),
    (b"a,b\r1,x\r2,y\r", "a", [1, 2], ""),
    (b"a\n1\n\n3", "a", [1, None, 3], ""),
    (b'x;y\n"9,49,274";1\n"45,678";2\n"1,00,000.50";3\n', "x", [949274, 45678, 100000.5], ""),
    (b"x;y\n+1 000;1\n-2 500;2\ninf;3\n1e-2;4\n", "x", [1000, -2500, float("inf"), 0.01], ""),
    # Codes and several answers are no numbers.
    *(
        (
            rows("icd,los", f"{code},3", "486,5", "250.00,2"),
            "icd",
            [code, "486", "250.00"],
            "a code",
        )
        for code in ("007", "02", "0040", "008.45")
    ),
    (rows("dial,n", "+049,3", "-12,5"), "dial", ["+049", "-12"], "a code"),
    (rows("phone,n", "+4930901820,3", "+33142685300,5"), "phone", ["+4930901820"], "a code"),
    (rows("x,n", "١٢,3", "٣٤,5"), "x", ["١٢", "٣٤"], ""),
    (rows("x,n", '"1,4",1', "2,2", '"2,3",3', "1,4"), "n", [1, 2, 3, 4], ""),
    (rows("x,n", '"1,4",1', "2,2", '"2,3",3', "1,4"), "x", ["1,4", "2", "2,3", "1"], SEVERAL),
    (b"x;lab\n1,2;0.5\n3;1.25\n1,3;2.5\n", "x", ["1,2", "3", "1,3"], SEVERAL),
    (b"x;lab\n1,2;0,5\n3;1,25\n1,3;2,5\n2;2,5\n", "x", ["1,2", "3", "1,3"], SEVERAL),
    # In the order of choosing, too, unless they may be halves.
    (b"x\tlab\n3,1\t0.5\n3\t1.25\n1\t2.5\n2\t2.75\n", "x", ["3,1", "3", "1", "2"], SEVERAL),
    (b"x;lab\n3,1;0,5\n2,4;1,25\n3;2,5\n1;2,5\n2;1,5\n4;1,5\n", "x", ["3,1", "2,4"], SEVERAL),
    (b"x;lab\n3,1;0,5\n2,3;1,25\n3;2,5\n2;2,5\n", "x", [3.1, 2.3, 3, 2], ""),
    (b"x;lab\n7,5;0.5\n7;1.25\n5;2.5\n", "x", [7.5, 7, 5], ""),
    (b"x;lab\n1,5;0,5\n2;1,25\n2,5;2,5\n5;2,5\n", "x", [1.5, 2, 2.5, 5], "may be"),
    (b"x;n\n1.642e+01;1\n2.701e-02;2\n", "x", [16.42, 0.02701], ""),
    # Errors of workbooks, and what offices of statistics write for no value.
    *(
        (rows("x,n", f"{sign},1", "7.5,2"), "x", [None, 7.5], "")
        for sign in ("#WERT!", "#NUM!", "#NV", "..", ":")
    ),
    # A minus beside a plus is a level.
    *(
        (rows("er,age", f"{plus},50", "-,61", "-,47"), "er", [plus, "-", "-"], "")
        for plus in ("+", "(+)", "2+", "+2", "positive", "positiv", "reaktiv", "positif")
    ),
    (rows("dose,age", "5,50", "-,61", "7,47"), "dose", [5, None, 7], ""),
    (rows("answer,x", "NA,1.5", "Yes,2.5", "No,3.5"), "answer", [None, "Yes", "No"], ""),
    (rows("x,age", "+2,50", "-,61", "-3,47"), "x", [2, None, -3], ""),
    (rows("x,age", "1.466,50", "-,61", "0.703,47"), "x", [1.466, None, 0.703], ""),
    (rows("x,age", "8.466,50", "-,61", "1435.703,47"), "x", [8.466, None, 1435.703], ""),
    *(
        (rows("pay,age", f"{dash},50", "$ 12.50,61"), "pay", [None, "$ 12.50"], "stands for 0")
        for dash in ("$ -", "$-", "\u2013 $")
    ),
]


READ += [
    *(
        ('x\tn\n"' + '"\t1\n"'.join(2 * cells.split("|")) + '"\t1\n', "x", cells.split("|"), text)
        for cells, text in ANSWERS
    ),
    (b'id,code\n1,="007"\n2,="12"\n', "code", ["007", "12"], "a code"),
    (b'id, "age", "hb"\n1, "41", "9.5"\n2, "52", "8.5"\n', "hb", [9.5, 8.5], ""),
    (b'"id,age"\r\n"1,41"\r\n"2,52"\r\n', "age", [41, 52], ""),
    (b'"id;""age"""\n"1;""41"""\n"2;""52"""\n', "age", [41, 52], ""),
    (b'"name"\n"Ulm, Jo"\n"Bonn, Al"\n', "name", ["Ulm, Jo", "Bonn, Al"], ""),
]


@pytest.mark.parametrize(("content", "name", "values", "words"), READ)
def test_cells_are_read_as_they_are_meant_and_doubts_are_said(content, name, values, words):
    frame = read_table(content if isinstance(content, bytes) else content.encode())
    read = [None if pd.isna(cell) else cell for cell in frame[name].tolist()]
    assert read[: len(values)] == values
    assert words in notes_on(frame, name)
    assert (words == "") == (notes_on(frame, name) == "")


#: A table, the first cells of x as they are read and as they could be, and words of what is said.
OPEN = [
    (b"id,x\n1,1.024\n2,1.013\n3,1.009\n", [1.024, 1.013, 1.009], [1024, 1013, 1009], "could be"),
    (b'id,x\n1,"1,024"\n2,"2,013"\n', [1024, 2013], [1.024, 2.013], "could be"),
    (b"id;x;y\n1;1.024;0,5\n2;2.013;2,75\n", [1024, 2013], [1.024, 2.013], "could be"),
    (b"id;x\n1;1.024\n2;950\n3;2.013\n", [1024, 950, 2013], [1.024, 950, 2.013], "could be"),
    # NA among codes like it, and the dash of an account.
    *(
        (rows("x,y", *(f"{c},2.5" for c in codes)), [None, *codes[1:]], [*codes], "a code like")
        for codes in (
            *(("NA", "PA", "QA"), ("NA", "EU", "APAC"), ("NA", "EMEA", "APAC", "LATAM")),
            *(
                ("NA", "EMEA", "APAC"),
                ("NA", "Europe", "Asia"),
                ("NA", "DE", "AT", "CH", "Germany"),
            ),
        )
    ),
    *(
        (rows("a,x", f"A0,{cell}", f"A1,{dash}"), [read, None], [read, zero], "0 in accounts")
        for cell, dash, read, zero in (
            ('" 8,995 "', " -   ", 8995, 0),
            ('"$1,250"', "-", "$1,250", "0"),
            ('"(1)"', "\u2013", "(1)", "0"),
            ('"8,995.50"', '"-,--"', 8995.5, 0),
        )
    ),
]


@pytest.mark.parametrize(("content", "taken", "other", "words"), OPEN)
def test_what_reads_in_two_ways_is_said_and_the_other_way_is_one_click_away(
    content, taken, other, words
):
    frame = read_table(content)
    for cells in (taken, other, taken):
        read = [None if pd.isna(cell) else cell for cell in frame["x"].tolist()]
        assert read[: len(cells)] == cells
        assert sum(frame.attrs.get("missing", {}).get("x", {}).values()) == read.count(None)
        (doubt,) = (one for one in frame.attrs["open"] if words in one["text"])
        assert doubt["text"] in notes_on(frame, "x")
        (choice,) = doubt["choices"].values()
        options = ReadOptions.from_dict(frame.attrs["read_options"]).with_column(*choice)
        frame = read_table(content, options=options)


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (["101,102", "103", "101,103,104"], "codes"),
        (["101 102", "103", "101 103 104"], "codes in blanks"),
        (["1,2", "1,3", "2,3"], "pairs"),
        (["1.234", "0,833", "2.005"], "both signs"),
        (["192.168.100.101", "192.168.100.102"], "addresses"),
        (["2310009E13", "1110001E07"], "clones"),
        (["12345678901234567.0", "12345678901234568.0"], "long"),
        (["1" * 5000, "1" * 4999 + "2"], "long"),
        (["1234567", "12e4567"], "beyond"),
        (["5E2", "1E3", "12E10"], "wells"),
    ],
)
def test_what_may_be_no_number_is_text_or_said(cells, name):
    content = "\n".join(["id;x", *(f"{k};{cell}" for k, cell in enumerate(cells * 5))]).encode()
    frame = read_table(content)
    assert frame["x"].tolist()[: len(cells)] == cells or notes_on(frame, "x")
    if "looks like a code" in notes_on(frame, "x") or name == "long":
        assert infer_schema(frame)["x"].family in ("categorical", "bernoulli", None)


QUALTRICS = (
    "Duration,ResponseId,Q1,Q2\n"
    "Duration (in seconds),Response ID,How old are you?,How happy are you?\n"
    '"{""ImportId"":""duration""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}",'
    '"{""ImportId"":""QID2""}"\n'
)


@pytest.mark.parametrize(
    ("above", "sep", "names_line", "data_line"),
    [
        (QUALTRICS, ",", 1, 4),
        ("a\tb\tkind\tlabel\ncontinuous\tcontinuous\tc\tx y\n\t\t\tclass\n", "\t", 1, 4),
        ("time;weight;dose;arm\nh;kg;mg/l;\n", ";", 1, 2 + 1),
        ("index;weight;dose;arm\n-;kg;[mg/l];-\n", ";", 1, 2 + 1),
        ("age,pulse,crp,arm\nage (years),beats a minute,in mg,arm A or B\n", ",", 1, 3),
        ("index,weight,dose,arm\n(-),(kg),(m),(-)\n", ",", 1, 2 + 1),
        ("index,weight,dose,arm\ns,kN,K,-\n", ",", 1, 2 + 1),
        (
            "age,pulse,crp,arm\nAge at entry,Pulse at rest,C-reactive protein,Arm of trial\n",
            ",",
            1,
            3,
        ),
        ("Cohort export 12.03.2024\n\nage,pulse,crp,arm\n", ",", 3, 4),
        ("Ward 7,,,\nprinted by,Dr A,,\nage,pulse,crp,arm\n", ",", 3, 4),
        (",Vitals,,\nage,pulse,crp,arm\n", ",", 2, 3),
        ("age,pulse,crp,arm\n<int>,<int>,<dbl>,<chr>\n", ",", 1, 3),
        ("age,pulse,crp,arm\n---,---,---,---\n", ",", 1, 3),
        ("age,pulse,crp,arm\nNum,Num,Num,Char\n", ",", 1, 3),
        ("age,pulse,crp,arm\n(integer),(integer),(real),(text)\n", ",", 1, 3),
        ("age,pulse,crp,arm\nmg/l,mg/l,mg/l,Nr.\n", ",", 1, 3),
        ("age,pulse,crp,arm\nNum 8,Num 8,Num 8,Char(1)\n", ",", 1, 3),
        ("age,pulse,crp,arm\nJahre,1/min,mg/l,\n", ",", 1, 3),
        ("year,beds,cases,kind\n,Anzahl,Anzahl,\n", ",", 1, 3),
        ("age,pulse,crp,arm\nans,1/min,mg/l,\n", ",", 1, 3),
        ("age,pulse,crp,arm\n,bpm,0-500,\n", ",", 1, 3),
        ("age,pulse,crp,arm\n18-99,30-200,0-500,\n", ",", 1, 3),
        ("age,pulse,crp,arm\n,1=low 9=high,1=low 9=high,\n", ",", 1, 3),
        ("id,pulse,crp,use\n,Response,Response,Open-Ended Response\n", ",", 1, 3),
        ("age,pulse,crp,arm\n", ",", 1, 2),
    ],
)
def test_a_table_begins_where_its_values_do(above, sep, names_line, data_line):
    lines = [sep.join([str(30 + k % 9), str(60 + k), str(k / 4), "xyz"[k % 3]]) for k in range(40)]
    frame = read_table((above + "\n".join(lines)).encode())
    assert len(frame) == 40
    assert frame.iloc[:, 1].tolist() == list(range(60, 100))
    used = frame.attrs["read_options"]
    assert (used["names_line"], used["data_line"]) == (names_line, data_line)
    assert (len(frame.attrs["notes"]) > 0) == (data_line > 2)
    columns = frame.attrs.get("columns", {}).values()
    assert not {"<int>", "continuous"} & {one["label"] for one in columns}  # types are no labels


#: Lines below the names that hold words, holes or limits among numbers, and are rows all the same.
ROWS = [
    *("unknown,80,n/a,x", ",,,", "50,refused,3,x", "lost,lost,lost,lost", "<0.5,12 kg,(3),y"),
    *("n/k,80,3,x", "withdrawn,withdrawn,withdrawn,x", "prefer not to say,80,3,y", "120/80,,,x"),
]
LINES = [f"{30 + k % 9},{60 + k},{k / 4},{'xyz'[k % 3]}" for k in range(40)]
LINES[20] = "lost,lost,lost,lost"
WORDS = ("A", "n/k", "120/80", "s", "min", "date", "prefer not to say")
LETTERS = ["cap,gill,ring,odor", *["t,s,c,d", "i,s,t,c", "x,y,c,d", "b,t,s,i"] * 6]
TIMED = [f"12:{k + 10},{k},{k % 4 + 0.5}" for k in range(20)]
COUNTED = [
    *((["age,pulse,crp,arm", first, *LINES], 41) for first in ROWS),
    (["site,sp,len\nwhere,species code,in mm", *["A,x,1.5\nB,y,2.5"] * 9], 18),
    (["site,sp,len\nwhere,x,in mm", *["A,x,1.5\nB,y,2.5"] * 9], 19),
    (["name,town,hb\nAnn,Ulm,not yet", *["Robert,Berlin,1.5\nJosephine,Bremen,2.5"] * 9], 19),
    *(([f"name,hb\nann,{word}\nbob,12.5\ncat,13.5\ndan,11.1"], 4) for word in WORDS),
    (LETTERS, 24),
    *(
        ([",".join("abc"), first, *(f"{k},{k % 3},{k % 5}" for k in range(20))], 21)
        for first in ("1,1,1", "1,,1", "1,1,NA")
    ),
    (["hb,arm\nBEST12.,$1.", *(f"{k / 4},{'xy'[k % 2]}" for k in range(20))], 20),
    (["a,b,c\nNum,Num,Num", *(f"{k},{k % 3},{k % 5}" for k in range(20))], 20),
    (["sex,arm,hb", "m,1,1", *(f"{'mf'[k % 2]},{k % 3},{k % 5}" for k in range(20))], 21),
    (["sex,mood\nThe sex given at birth,The mood of this morning", *["m,good\nf,bad"] * 9], 18),
    (["note,mood\nA long story of its own,good", *["short,good\nx y,bad"] * 9], 19),
    (["id,age,hb,-999", *(f"{k},{k % 30},{k / 4},{k % 5}" for k in range(20))], 20),
    (["age,sex,hb,12", *(f"{k % 30},{'mf'[k % 2]},{k / 4},{k % 5}" for k in range(20))], 20),
    (["7,unknown,3,12", *(f"{k % 30},{k % 2},{k / 4},{k % 5}" for k in range(20))], 21),
    (["id,1,2,3", *(f"C{k},{k % 3},{k % 5},{k}" for k in range(20))], 20),
    ([",0,1", *(f"{k},{k % 3},{k % 5}" for k in range(20))], 20),
    (
        [
            "nm,400,402,404,406,8e2",
            *(f"C{k},.{k % 3}1,.{k % 5}2,.6,.{k % 7}4,3" for k in range(20)),
        ],
        20,
    ),
    (['"TOA5","CR1","12","x"', "T,N,V", '"s","n","V"', '"","Avg","Avg"', *TIMED], 20),
    (
        [
            '"Konto:";"DE1";',
            '"Von:";"1.1.";',
            "",
            '"Tag";"Wer";"EUR";',
            *[f"1.{k};x;{k},5;" for k in range(20)],
        ],
        20,
    ),
    (["Q1,Q2\nWhat is your gender?,How satisfied are you?", *["Male,Much\nFemale,Not"] * 9], 18),
]


@pytest.mark.parametrize(("lines", "n"), COUNTED)
def test_a_row_is_no_description_and_questions_are_no_row(lines, n):
    assert len(read_table("\n".join(lines).encode())) == n


@pytest.mark.parametrize(
    ("above", "names"),
    [
        (
            "Site,Before,,After,\n,sbp,dbp,sbp,dbp\n",
            "Site|Before sbp|Before dbp|After sbp|After dbp",
        ),
        ("Id,A,A,B,B\n,mean,sd,mean,sd\n", "Id|A mean|A sd|B mean|B sd"),
        (",A,A,B,B\n,mean,sd,mean,sd\nid,,,,\n", "column 1|A mean|A sd|B mean|B sd"),
        ("Id,Vitals,,Blood,\n,pulse,sbp,hb,crp\n", "Id|pulse|sbp|hb|crp"),
        ("Id,Vitals,,hb,crp\n,pulse,sbp,,\n", "Id|pulse|sbp|hb|crp"),
    ],
)
@pytest.mark.parametrize("first", ["Ulm", "7"])
def test_names_of_two_lines_are_put_together(above, names, first):
    lines = [f"{first}{k},{120 + k},{80 - k},{118 + k},{79 - k}" for k in range(20)]
    frame = read_table("\n".join([*above.splitlines(), *lines]).encode())
    assert (list(frame), len(frame)) == (names.split("|"), 20)
    text = " ".join(frame.attrs["notes"])
    assert ("Vitals" in above) == ("Vitals" in text)
    assert not any(word in text for word in ("Post", "mean"))


@pytest.mark.parametrize("n", [1, 3])
def test_a_line_that_repeats_the_names_is_no_row(n):
    part = "age,pulse,arm\n" + "".join(f"{30 + k},{60 + k},{'xy'[k % 2]}\n" for k in range(20))
    frame = read_table((part * (n + 1)).encode())
    assert (len(frame), frame["age"].dtype) == (20 * (n + 1), "int64")
    assert "the names of the columns" in " ".join(frame.attrs["notes"])
    ticked = read_table(b"phone,tablet\nphone,tablet\nphone,\n,tablet\n")
    assert len(ticked) == 3


@pytest.mark.parametrize(
    ("foot", "text"),
    [
        ("Source: WHO", "no part of it: “Source: WHO”"),
        ("\nSource: WHO, 2024\nretrieved, today", "“Source: WHO · 2024 · retrieved · today”"),
        (",,\nNote,,", "no part of it: “Note”"),
        ("\nSource: WHO, read, 2024", "no part of it: “Source: WHO · read · 2024”"),
        ("Total,,92\nMean,,4.6", "no part of it: “Total · 92 · Mean · 4.6”"),
        ("21,Insgesamt,47.5", ""),
        ("unknown,x,2.5", ""),
        (",,\n,,", "2 rows without any cell left out"),
        ("5,,", ""),
        ('7,"two\nlines",', ""),
        ("\n* below 0.5, if any, imputed, see there", "“* below 0.5 · if any · imputed · see"),
        (",,\n" * 9000, "9,000 rows without any cell left out"),
        ("Source: " + "WHO " * 30, f"“Source: {'WHO ' * 17}WHO…”"),  # 80 letters
    ],
)
def test_what_stands_below_the_values_is_no_row(foot, text):
    lines = [f"{k},{'xy'[k % 2]},{k / 4}" for k in range(20)]
    for encoding in ("utf-8", "utf-16"):
        frame = read_table("\n".join(["id,arm,hb", *lines, foot]).encode(encoding))
        assert len(frame) == 20 + (text == "")
        assert text in " ".join(frame.attrs["notes"])
    with pytest.raises(TableError, match="2 values in line 22"):
        read_table("\n".join(["id,arm,hb", *lines, "21,x"]).encode())


@pytest.mark.parametrize(
    ("first", "foot", "n"),
    [("N", "Source: registry", 20), ("N", "Northern", 21), ("N W", "Source: registry", 21)],
)
@pytest.mark.parametrize("n_columns", [2, 3])
def test_a_sentence_alone_below_words_is_no_row(first, foot, n, n_columns):
    lines = [f"{first}{k % 3},{k},{k / 4}".split(",") for k in range(20)]
    table = [row[:n_columns] for row in (["ward", "age", "hb"], *lines, [foot, "", ""])]
    text = "\n".join(map(",".join, table))
    for frame in (read_table(text.encode()), read_table(workbook(table))):
        assert len(frame) == (21 if n_columns == 2 else n)


BETWEEN = [
    ("P", ["North,,", "South,,"], (0, 11), "Lines between the rows are left out: “North”, “South”"),
    ("P", ["P98,,", "P99,,"], (0, 11), ""),
    ("P", ["X total,45,4.5", "Y total,145,14.5"], (10, 21), ""),
]


@pytest.mark.parametrize(("before", "more", "places", "text"), BETWEEN)
def test_titles_between_the_rows_are_none_and_sums_are_rows(before, more, places, text):
    lines = [f"{before}{k},{k},{k / 10}" for k in range(20)]
    for place, line in zip(places, more, strict=True):
        lines.insert(place, line)
    frame = read_table("\n".join(["id,n,x", *lines]).encode())
    assert len(frame) == 20 + len(more) * (text == "")
    assert text in " ".join(frame.attrs["notes"])


def test_lines_of_names_and_values_can_be_told():
    content = b"made by hand\nx,y\nu,v\n1,2\n3,4\n"
    frame = read_table(content, options=ReadOptions(names_line=2, data_line=4))
    assert frame.to_dict("list") == {"x": [1, 3], "y": [2, 4]}
    assert list(read_table(content, options=ReadOptions(names_line=3))) == ["u", "v"]
    unnamed = read_table(content, options=ReadOptions(names_line=0, data_line=4))
    assert unnamed.to_dict("list") == {"column 1": [1, 3], "column 2": [2, 4]}
    with pytest.raises(TableError, match="No line 200"):
        read_table(content, options=ReadOptions(names_line=200, data_line=500))


@pytest.mark.parametrize("dash", ["\u2013", "\u2014", "-"])
def test_a_dash_among_numbers_is_missing_and_beside_a_plus_a_level(dash):
    frame = read_table(rows("dose,er", f"{dash},+", f"1.5,{dash}", "2.5,+"))
    assert frame["dose"].isna().sum() == 8 == frame.attrs["missing"]["dose"][dash]
    assert frame["er"].eq(dash).sum() == 8


def test_parts_of_a_question_are_named_by_the_line_below_it():
    lines = "id,Which do you use?,,Age", ",Shoes,Hats,Response", *["7,Shoes,,31", "8,,Hats,44"] * 9
    frame = read_table("\n".join(lines).encode())
    assert [*frame] == ["id", "Which do you use?: Shoes", "Which do you use?: Hats", "Age"]
    assert len(frame) == 18
    # Where most columns are parts, few names are filled; what says nothing is no label.
    names, parts = "id,Do you walk?,Which?,,,,,", ",Response,Shoes,Hats,Ties,Rings,Coats,Socks"
    frame = read_table("\n".join([names, parts, *["7,Yes,,Hats,Ties,,Coats,Socks"] * 9]).encode())
    assert [*frame][:4] == ["id", "Do you walk?", "Which?: Shoes", "Which?: Hats"]
    assert "Do you walk?" not in frame.attrs["columns"]


@pytest.mark.parametrize("first", [100000000000000002, 9007199254740993, 4_000_000_000_000_000_019])
def test_digits_that_floating_point_cannot_hold_are_text(first):
    cells = [str(first + 3 * k) for k in range(60)]
    frame = read_table("\n".join(["number,x", *(f"{c},{k}" for k, c in enumerate(cells))]).encode())
    assert frame["number"].tolist() == cells
    assert infer_schema(frame)["number"].role != "cluster"
    held = pa.array([None, *(first + 3 * k for k in range(60))])
    for kind in (pa.int64(), pa.decimal128(38, 0)):
        pq.write_table(pa.table({"number": held.cast(kind)}), buffer := io.BytesIO())
        assert read_table(buffer)["number"].tolist()[1:] == cells
    records = json.dumps([{"number": cell} for cell in held.to_pylist()])
    assert read_table(records.encode())["number"].tolist()[1:] == cells
    spec = infer_schema(pd.DataFrame({"number": [first, first + 1, first + 2] * 9}))["number"]
    assert spec.levels == (str(first), str(first + 1), str(first + 2))


ENCODED = [
    ("cp1251", "Пол;Диагноз женский;здоров мужской;диабет"),
    ("koi8-r", "Пол;Диагноз женский;здоров мужской;диабет"),
    ("cp866", "Пол;Диагноз женский;здоров мужской;диабет"),
    ("iso-8859-5", "Пол;Диагноз женский;здоров мужской;диабет"),
    ("iso-8859-15", "Größe;Prix 5€;cœur 7€;sœur"),
    ("cp866", "ГОРОД;ОТДЕЛ МОСКВА;ХИРУРГИЯ КАЗАНЬ;ТЕРАПИЯ"),
    ("cp1251", "Місто;Стать Київ;жінка Львів;чоловік"),
    ("cp932", "患者番号;性別 一;男 二;女"),
    ("cp1250", "Miasto;Płeć Łódź;kobieta Gdańsk;mężczyzna"),
    ("cp1250", "Város;Neme Győr;nő Szeged;férfi Kőszeg;nő"),
    ("iso-8859-2", "Miasto;Płeć Śląsk;kobieta Gdańsk;mężczyzna"),
    ("iso-8859-2", "Město;Pohlaví Plzeň;muž Třebíč;žena"),
    ("cp852", "Miasto;Płeć Łódź;kobieta Gdańsk;mężczyzna"),
    ("cp852", "Város;Neme Győr;nő Szeged;férfi Kőszeg;nő"),
    ("cp1253", "Φύλο;Πόλη άνδρας;Αθήνα γυναίκα;Πάτρα"),
    ("cp1254", "Şehir;Cinsiyet İstanbul;kadın Ağrı;erkek"),
    ("cp1254", "İl;Tanı Muğla;şeker Iğdır;sağlıklı"),
    ("cp1255", "עיר;מין ירושלים;נקבה חיפה;זכר"),
    ("cp1255", "אבחנה;טיפול סוכרת;כן בריא;לא"),
    ("cp1256", "المدينة;الجنس القاهرة;ذكر دمشق;أنثى"),
    ("cp1256", "التشخيص;العلاج سكري;نعم سليم;لا"),
    ("cp1257", "Miestas;Lytis Šiauliai;vyras Panevėžys;moteris"),
    ("cp874", "เมือง;เพศ กรุงเทพ;ชาย เชียงใหม่;หญิง"),
    ("gb18030", "性别;城市 男;北京 女;上海"),
    ("euc_jp", "性別;年齢 男;七 女;八"),
    ("euc_jp", "なまえ;けつえきがた たろう;あか はなこ;しろ"),
    ("iso2022_jp", "性別;年齢 男;七 女;八"),
    ("cp949", "성별;지역 남;서울 여;부산"),
    ("cp949", "예;성별 중등;키 배;여"),
    ("cp949", "도시;회사원 남;매우좋음 여;광주"),
    ("cp949", "월요일;응급 중등;가격 보통;품목"),
    ("cp932", "体重;喫煙 未婚;日付 製品;異常"),
    ("cp932", "年齢;バナナ 大阪;いいえ 患者;りんご"),
    ("mac-roman", "Größe;Café groß;Zoë klein;Málaga"),
    ("mac-roman", "Sprache;x Mainfränkisch;a Meänkieli;b"),
    ("cp850", "Größe;Café groß;Zoë klein;Málaga"),
    ("cp850", "Idioma;x afrikáans;a iraquí;b"),
    ("cp852", "Kraj;x hongkoński;a tybetański;b"),
]


@pytest.mark.parametrize(("encoding", "text"), ENCODED)
def test_an_encoding_is_guessed_where_windows_1252_is_none(encoding, text):
    names, *lines = text.split(" ")
    content = "\n".join([names, *lines * 20]).encode(encoding)
    frame = read_table(content)
    assert list(frame.columns) == names.split(";")
    assert frame.iloc[0].tolist() == lines[0].split(";")
    assert any(f"read as {encoding}" in note for note in frame.attrs["notes"])


DAMAGED = [
    ("cp1252", b"name,x Rub\xcc_\xe5\xa9n,1 Chape\xcc_\xe5\xb1o,2"),
    ("cp1252", b"name,x West\x89\xdb\xd2Green,1 Nord\x89\xdb\xd2Hill,2"),
    ("mac-roman", b"Wie\xcaoft?,x Nie\xca,1 Not\xcaoften,2"),
]


@pytest.mark.parametrize(("encoding", "content"), DAMAGED)
def test_marks_within_latin_words_are_no_signs_of_several_bytes(encoding, content):
    frame = read_table(content.replace(b" ", b"\n"))
    assert frame.attrs["notes"] == [
        f"The text is read as {encoding}: if words look odd, choose another encoding."
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ["a%,b%,c%", *["1%,2%,3%", "4%,5%,6%"] * 9],
        ["rate%", *["5%", "7%"] * 9],
        ["dose", *["~5", "~7"] * 9],
        ["a^b,c", *["1^2,3", "2^4,5"] * 9],
        ["mail", *["a@b.org", "c@d.org"] * 9],
        ["at", *["12:30:10", "13:40:50"] * 9],
    ],
)
def test_signs_of_cells_part_no_columns(lines):
    assert read_table("\n".join(lines).encode()).shape == (18, lines[0].count(",") + 1)


#: A file, and what is said of it.
SAID = [
    *(
        (f"Ort;x\n{word};1\nUlm;2\n".encode().decode(way).encode(), f"to be “{word}”")
        for word, way in (
            *(("München", "cp1252"), ("Orléans", "latin-1"), ("Größe", "mac-roman")),
            *(("Казань", "cp1251"), ("Gdańsk", "cp1250")),
        )
    ),
    (b"id,hb,age\n1,12,5,44\n2,11,0,51\n", "commas stand in numbers (12,5)"),
    (b"id,hb\n7,12,5\n8,11,25\n", "commas stand in numbers (12,5)"),
    (b"age,pay\n44,1,200\n51,2,500\n", "commas stand in numbers (12,5)"),
    *(
        (f"id{d}arm\n1{d}{q}x{q}\n2{d}{q}pla".encode(), "the file may be cut short")
        for d, q in ((",", '"'), (";", '"'), ("\t", '"'))
    ),
]


@pytest.mark.parametrize(("content", "text"), SAID)
def test_what_a_file_lost_on_its_way_is_said(content, text):
    assert text in " ".join(read_table(content).attrs["notes"])


@pytest.mark.parametrize(
    "content",
    ["Ort;x\nMÜNCHEN;1\nSÃO PAULO;2\nÑuñoa;3\n", "ort\nРёв\nМосква\n", 'id,size\n1,5\'11"\n2,6"\n'],
)
def test_whole_files_are_said_to_have_lost_nothing(content):
    assert read_table(content.encode()).attrs["notes"] == []


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-be"])
@pytest.mark.parametrize("text", ["Größe;Ort\n180;Köln\n170;Ulm\n", "a,b\n1,x\n2,y\n"])
def test_wide_text_with_its_mark_is_read_and_without_it_refused(encoding, text):
    mark = codecs.BOM_UTF32_BE if encoding == "utf-32-be" else b""
    frame = read_table(mark + text.encode(encoding))
    assert frame.equals(read_table(text.encode()))
    assert frame.attrs["notes"] == []
    with pytest.raises(TableError, match="binary file"):
        read_table(text.encode("utf-32-le"))


IN_BLANKS = [
    ("  size kind\n1  5.1    a\n2  4.9    b\n10 4.7    b\n", {"row name": [1, 2, 10]}),
    ('"mpg" "name"\n"Mazda RX4" 21 "a b"\n"Fiat" 22.8 "c"\n', {"name": ["a b", "c"]}),
    ("sex  arm\nm    x\nf    y\n", {"sex": ["m", "f"], "arm": ["x", "y"]}),
    ("full name\nJohn Smith\nJane Doe\n", {"full name": ["John Smith", "Jane Doe"]}),
    ("price EUR\n1 000\n12 500\n", {"price EUR": [1000, 12500]}),
    ("answers\n1 2\n2 3\n1 3\n", {"answers": ["1 2", "2 3", "1 3"]}),
    ("note 1\nso  it  is\nwell  then\n", {"note 1": ["so  it  is", "well  then"]}),
]


@pytest.mark.parametrize(("text", "columns"), IN_BLANKS)
def test_columns_are_parted_at_blanks_where_all_lines_have_as_many(text, columns):
    frame = read_table(text.encode())
    assert {name: frame[name].tolist() for name in columns} == columns
    are_parted = any("where blanks stand" in note for note in frame.attrs["notes"])
    assert are_parted == (frame.shape[1] > 1)
    again = read_table(text.encode(), options=ReadOptions.from_dict(frame.attrs["read_options"]))
    assert again.equals(frame)
    assert again.attrs == frame.attrs


@pytest.mark.parametrize("sign", [",", ";"])
@pytest.mark.parametrize("cell", ['said "ok", left', 'a 3" nail; bent', r"C:\data\5", "\\"])
def test_a_quote_behind_a_backslash_ends_no_cell_and_a_backslash_before_the_last_one_is_kept(
    cell, sign
):
    written = cell.replace('"', '\\"')
    text = "\n".join([f"k{sign}who{sign}n", *(f'{k}{sign}"{written}"{sign}{k}' for k in range(20))])
    frame = read_table(text.encode())
    assert (frame["who"].unique().tolist(), frame["n"].tolist()) == ([cell], [*range(20)])


def test_lines_that_a_stray_quote_makes_a_cell_of_are_said():
    lines = [f"{k},{k % 7},Ann" for k in range(40)]
    lines[9] = lines[15] = '9,2,"Bob'
    frame = read_table("\n".join(["id,n,who", *lines]).encode())
    assert "holds whole lines (“10,3,Ann”): look for a stray" in frame.attrs["notes"][-1]


BOTH_SIGNS = (
    (["0.83", "1.2", "2.55", '"1,2"'], [0.83, 1.2, 2.55, 1.2], "“1,2” is read as 1.2."),
    (["1.508", "0.993", '"0,85"', "-1.25"], [1.508, 0.993, 0.85, -1.25], "“0,85” is read as 0.85."),
    (['"12,5"', '"13,25"', "12.75"], [12.5, 13.25, 12.75], "“12,5” is read as 12.5."),
    (["1.5", '"1,2"', '"1,234"'], ["1.5", "1,2", "1,234"], "they are kept as text."),
)


@pytest.mark.parametrize(("cells", "read", "said"), BOTH_SIGNS)
def test_one_decimal_comma_among_points_is_a_number_unless_some_comma_may_part_thousands(
    cells, read, said
):
    text = "\n".join(["k,x", *(f"{k},{cell}" for k, cell in enumerate(cells))])
    frame = read_table(text.encode())
    assert frame["x"].tolist() == read
    (note,) = frame.attrs["notes"]
    assert note.startswith("Some numbers of 'x' have a point, others a comma: ")
    assert note.endswith(said)
    for choice in frame.attrs["open"][0]["choices"].values():
        again = read_table(text.encode(), options=ReadOptions(columns=[choice]))
        assert again["x"].tolist() == [cell.strip('"') for cell in cells]


WESTERN = (
    *("Größe,Straße,Mädchen", "Prénom,âge,été,garçon", "Año,niño,señora", "Ålesund,blåbær"),
    *("Città,è,perché", "São Paulo,ação", "Zürich,Genève", "5 µg,°C,±", "“quote”,it’s,a – b"),
    *("Reykjavík,Þór,Guðrún", "Ærø,Køb", "naïve,façade", "Müßig", "€ 5,£ 3", "crème brûlée"),
    *("Jürgen,Jörg", "Düsseldorf", "El Niño", "½,¼", "«oui»,«non»", "GRÖSSE", "fête,forêt"),
    *("Malmö,Växjö", "Tromsø", "já,nei", "sí,no", "não,sim", "Ötzi", "Noël,Béla", "Núñez"),
    *("lunedì,mercoledì", "mokša,bradž", "m²,Flöße"),
)


@pytest.mark.parametrize("words", WESTERN)
def test_small_tables_of_windows_1252_are_read_as_such(words):
    cells = words.split(",")
    lines = [f"{k};{cells[k % len(cells)]};{k % 7}" for k in range(12)]
    frame = read_table("\n".join(["id;name;x", *lines]).encode("cp1252"))
    assert frame["name"].tolist()[: len(cells)] == cells
    assert [note for note in frame.attrs["notes"] if "cp1252" not in note] == []


JSON = (
    '{"x": 1, "t": "a;b"}\n\n{"t": "b", "x": 2}\n{"x": 3.0, "t": ["b", "c", "a"]}\n',
    '[{"x": 1, "t": ["a", "b"]}, {"x": 2, "t": ["b"]}, {"x": 3, "t": ["b", "c", "a"]}]',
    '{"data": [{"x": 1, "t": "a;b"}, {"x": 2, "t": "b"}, {"x": 3, "t": "b;c;a"}]}',
    '{"x": {"0": 1, "1": 2, "7": 3}, "t": {"0": "a;b", "1": "b", "7": "b;c;a"}}',
    '{"x": [1, 2, 3], "t": ["a;b", "b", "b;c;a"]}',
)


@pytest.mark.parametrize("text", JSON)
def test_json_by_records_by_columns_and_with_lists(text):
    frame = read_table(text.encode())
    assert frame.to_dict("list") == {"x": [1, 2, 3], "t": ["a;b", "b", "b;c;a"]}
