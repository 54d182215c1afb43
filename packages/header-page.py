"""The manual page of vicinity.h, from the header itself: header-page.py VERSION DATE HEADER. Each part of the header is a section."""

import re
import sys

HEAD = """\
.TH VICINITY.H 3 {date} "vicinity {version}" "Library functions"
.SH NAME
vicinity.h \\- tasks without a compiler, memory by distribution, topology
.SH SYNOPSIS
.B #include <vicinity.h>
.PP
Link with \\fB\\-lvicinity\\fR; pkg\\-config knows it as \\fBvicinity\\fR.
.SH DESCRIPTION
"""
TAIL = """\
.SH SEE ALSO
.BR vicinity (1)
"""


def escaped(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def main(version, date, header):
    with open(header) as file:
        text = file.read()
    about, rest = text.split("#ifndef VICINITY_H", 1)
    about = re.sub(r"^/\* vicinity\.h: |^ \* ?|\*/", "", about, flags=re.MULTILINE).strip()
    print(HEAD.format(version=version, date=date), end="")
    print("\n".join(escaped(line) if line else ".PP" for line in about.splitlines()))
    parts = re.split(r"/\* ([A-Z][^*\n]*?) -{10,} \*/\n", rest)
    for title, body in zip(parts[1::2], parts[2::2]):
        body = body.split("#ifdef __cplusplus")[0].replace(" VICINITY_NOEXCEPT", "").strip()
        print(f".SH {title.upper()}\n.nf\n" + "\n".join(map(escaped, body.splitlines())) + "\n.fi")
    print(TAIL, end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
