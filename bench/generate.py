"""Makes the benchmarks' inputs, byte for byte the same on every run, in a folder of the caller."""

import base64
import json
import os
import random
import zipfile

TREE_FILES = 10_000
TREE_BYTES = 130_000_000
COLUMNS = 20


def _vocabulary(rng):
    syllables = "ba co di fu ge ha in ka lo mer no or pa qui ra set ti un ver wo ex yl za th st".split()
    words = {"".join(rng.choices(syllables, k=rng.choice((1, 2, 2, 3, 3, 4)))) for _ in range(14_000)}
    return sorted(words)


class _Text:
    """Sentences and code over one vocabulary whose word counts fall off as in real text."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.words = _vocabulary(self.rng)
        self.rng.shuffle(self.words)
        total = 0.0
        self.weights = []
        for rank in range(len(self.words)):
            total += 1 / (rank + 8)
            self.weights.append(total)
        # Drawn once: choosing among these is what makes 130 MB a matter of seconds.
        self.stream = self.rng.choices(self.words, cum_weights=self.weights, k=300_000)
        self.sentences = []
        for _ in range(40_000):
            words = self.take(int(6 + 11 * self.rng.random()))
            self.sentences.append(" ".join(words).capitalize() + ".")

    def take(self, count):
        start = int(self.rng.random() * (len(self.stream) - count))
        return self.stream[start : start + count]

    def sentence(self):
        return self.sentences[int(self.rng.random() * len(self.sentences))]

    def code(self, size):
        lines, length = ["// " + self.sentence(), "#include <vector>", ""], 0
        while length < size:
            a, b, c, d, e = self.take(5)
            block = [
                f"// {self.sentence()}",
                f"int {a}_{b}(int {c}, const std::vector<int>& {d}) {{",
                f"  int {e} = {self.rng.randint(0, 9999)};",
                f"  for (int value : {d}) {{",
                f"    if (value > {c} + {self.rng.randint(1, 99)}) {e} += value * {self.rng.randint(2, 9)};",
                "  }",
                f"  return {e} - {c};",
                "}",
                "",
            ]
            lines += block
            length += sum(map(len, block)) + len(block)
        return "\n".join(lines) + "\n"

    def python(self, size):
        lines, length = [f'"""{self.sentence()}"""', "", "import os", ""], 0
        while length < size:
            a, b, c, d = self.take(4)
            block = [
                "",
                f"def {a}_{b}({c}, {d}=None):",
                f'    """{self.sentence()}"""',
                f"    {a} = [{c} * {self.rng.randint(2, 99)} for {c} in range({self.rng.randint(2, 999)})]",
                f"    if {d} is None:",
                f'        return "{self.sentence()}"',
                f"    return {a}[{d}]",
                "",
            ]
            lines += block
            length += sum(map(len, block)) + len(block)
        return "\n".join(lines) + "\n"

    def markdown(self, size):
        parts, length = ["# " + " ".join(self.take(4)).capitalize(), ""], 0
        while length < size:
            block = ["## " + " ".join(self.take(3)).capitalize(), ""]
            for _ in range(self.rng.randint(1, 4)):
                block += [" ".join(self.sentence() for _ in range(self.rng.randint(2, 6))), ""]
            block += [f"- {self.sentence()}" for _ in range(self.rng.randint(0, 5))] + [""]
            parts += block
            length += sum(map(len, block)) + len(block)
        return "\n".join(parts) + "\n"

    def json(self, size):
        rows = []
        for _ in range(max(1, size // 230)):
            a, b, c = self.take(3)
            rows.append({"id": self.rng.getrandbits(40), "name": f"{a} {b}", "tags": [c, a],
                         "note": self.sentence(), "value": self.rng.randint(0, 10**6) / 100})
        return json.dumps({"items": rows}, indent=2) + "\n"

    def csv(self, size):
        lines, length = ["id,name,city,amount,note"], 0
        while length < size:
            a, b, c = self.take(3)
            lines.append(f"{self.rng.getrandbits(30)},{a} {b},{c},{self.rng.randint(0, 10**6) / 100},"
                         f"\"{self.sentence()}\"")
            length += len(lines[-1]) + 1
        return "\n".join(lines) + "\n"


def make_tree(folder):
    """10,000 files, 130 MB: code, prose and data, in 200 folders."""
    text = _Text(1)
    kinds = [("cc", text.code), ("py", text.python), ("md", text.markdown),
             ("json", text.json), ("csv", text.csv)]
    left = TREE_BYTES
    for number in range(TREE_FILES):
        mean = left / (TREE_FILES - number)
        size = int(mean * min(8, text.rng.lognormvariate(-0.4, 0.9)))
        if number == TREE_FILES - 1:
            size = int(mean)
        suffix, make = kinds[number % len(kinds)]
        directory = os.path.join(folder, f"part{number % 20:02}", f"unit{number // 20 % 10}")
        os.makedirs(directory, exist_ok=True)
        content = make(size).encode()
        with open(os.path.join(directory, f"file{number:05}.{suffix}"), "wb") as file:
            file.write(content)
        left -= len(content)


def make_log(path, seed, size_bytes=10_000_000):
    text = _Text(seed)
    rng = text.rng
    sentences = text.sentences
    length, lines = 0, []
    while length < size_bytes:
        line = (f"2026-03-{rng.randint(1, 28):02} {rng.getrandbits(32):08x} "
                f"{rng.choice(sentences)} took={rng.randint(1, 99999)}us")
        lines.append(line)
        length += len(line) + 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(("\n".join(lines))[:size_bytes])


def _column(number):
    return chr(ord("A") + number)


def _sheet(rng, rows, strings):
    parts = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.'
             f'openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:T{rows}"/><sheetData>']
    for row in range(1, rows + 1):
        cells = []
        for column in range(COLUMNS):
            name = f"{_column(column)}{row}"
            if column % 5 == 0:
                cells.append(f'<c r="{name}" t="s"><v>{rng.randrange(strings)}</v></c>')
            elif column == COLUMNS - 1:
                cells.append(f'<c r="{name}"><f>SUM(B{row}:E{row})</f><v>{rng.randint(0, 10**6)}</v></c>')
            else:
                cells.append(f'<c r="{name}"><v>{rng.randint(0, 10**7) / 100}</v></c>')
        parts.append(f'<row r="{row}">{"".join(cells)}</row>')
    parts.append("</sheetData></worksheet>")
    return "".join(parts)


def make_workbook(path, sheets, rows):
    """A workbook of `sheets` sheets of `rows` x 20 cells: numbers, strings, formulas."""
    rng = random.Random(sheets * 1_000_003 + rows)
    text = _Text(7)
    strings = [text.sentence() for _ in range(5000)]
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    numbers = range(1, sheets + 1)
    members = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="{kind}sheet.main+xml"/>'
        + "".join(f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}worksheet+xml"/>'
                  for n in numbers)
        + f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}sharedStrings+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{kind}styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(f'<sheet name="Sheet{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(f'<Relationship Id="rId{n}" Type="{office}/worksheet" Target="worksheets/sheet{n}.xml"/>'
                  for n in numbers)
        + f'<Relationship Id="rId{sheets + 1}" Type="{office}/sharedStrings" Target="sharedStrings.xml"/>'
        f'<Relationship Id="rId{sheets + 2}" Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/>'
        '</font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1">'
        '<border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/>'
        '</cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
        "</styleSheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{main}" uniqueCount="{len(strings)}">'
        + "".join(f"<si><t>{value}</t></si>" for value in strings) + "</sst>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        def add(name, content):
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
        for name, content in members.items():
            add(name, content if content.startswith("<?xml") else head + content)
        for number in numbers:
            add(f"xl/worksheets/sheet{number}.xml", _sheet(rng, rows, len(strings)))


def make_lines(folder, files=500, lines=2000):
    """A folder of plain text: a million lines, each a row of the search index."""
    text = _Text(11)
    for number in range(files):
        with open(os.path.join(folder, f"lines{number:03}.csv"), "w", encoding="utf-8") as file:
            file.write("key,text\n")
            for line in range(lines):
                file.write(f"{number * lines + line},{' '.join(text.take(8))}\n")


def make_prose(path, size_bytes):
    with open(path, "w", encoding="utf-8") as file:
        file.write(_Text(12).markdown(size_bytes)[:size_bytes])


def make_notebook(path, size_bytes=5_000_000):
    """A notebook of nbformat 4.5 as people keep them: prose, code, printed text, tables, pictures."""
    text = _Text(11)
    rng = text.rng
    cells, length = [], 0
    while length < size_bytes:
        number = len(cells)
        if number % 4 == 0:
            cell = {"cell_type": "markdown", "id": f"note-{number}", "metadata": {},
                    "source": text.markdown(600).splitlines(keepends=True)}
        else:
            outputs = []
            if number % 4 == 1:
                lines = [f"{text.sentence()}\n" for _ in range(40)]
                outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
            elif number % 4 == 2:
                rows = [[rng.randint(0, 10**6) / 100 for _ in range(6)] for _ in range(20)]
                html = ["<table>\n"] + [f"  <tr><td>{'</td><td>'.join(map(str, row))}</td></tr>\n"
                                        for row in rows] + ["</table>"]
                plain = [" ".join(map(str, row)) + "\n" for row in rows]
                outputs.append({"data": {"text/html": html, "text/plain": plain},
                                "execution_count": number, "metadata": {},
                                "output_type": "execute_result"})
            else:
                picture = base64.b64encode(rng.randbytes(rng.randint(5_000, 40_000))).decode()
                outputs.append({"data": {"image/png": picture + "\n",
                                         "text/plain": ["<Figure size 640x480 with 1 Axes>"]},
                                "metadata": {}, "output_type": "display_data"})
            cell = {"cell_type": "code", "execution_count": number, "id": f"code-{number}",
                    "metadata": {}, "outputs": outputs,
                    "source": text.python(900).splitlines(keepends=True)}
        cells.append(cell)
        length += len(json.dumps(cell, indent=1))
    notebook = {"cells": cells, "metadata": {"kernelspec": {
        "display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4, "nbformat_minor": 5}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1)
        file.write("\n")


def make_report(path, pages):
    """A PDF of headings, justified paragraphs, lists, tables and two columns, on exactly `pages` pages."""
    from reportlab.lib import enums, pagesizes, styles
    from reportlab.platypus import BaseDocTemplate, Frame, NextPageTemplate, PageBreak, PageTemplate, Paragraph, Table

    rng = random.Random(11)
    words = _vocabulary(rng)
    sheet = styles.getSampleStyleSheet()
    body = styles.ParagraphStyle("text", parent=sheet["BodyText"], alignment=enums.TA_JUSTIFY)

    def sentence():
        return " ".join(rng.choice(words) for _ in range(rng.randint(6, 18))).capitalize() + "."

    def paragraph(sentences):
        parts = [sentence() for _ in range(sentences)]
        parts[0] = f"<b>{parts[0]}</b>" if rng.random() < 0.2 else parts[0]
        return Paragraph(" ".join(parts), body)

    width, height = pagesizes.A4
    one = Frame(60, 60, width - 120, height - 120)
    half = (width - 140) / 2
    two = [Frame(60, 60, half, height - 120), Frame(80 + half, 60, half, height - 120)]
    document = BaseDocTemplate(path, pagesize=pagesizes.A4, invariant=1)
    document.addPageTemplates([PageTemplate("one", [one]), PageTemplate("two", two)])
    story = []
    for number in range(1, pages + 1):
        columns = number % 4 == 3
        story.append(Paragraph(f"{number} {sentence()}", sheet["Heading2"]))
        for _ in range(4 if columns else 5):
            story.append(paragraph(rng.randint(4, 7) if columns else rng.randint(5, 8)))
        if not columns:
            story.append(Table([[rng.choice(words)] + [str(rng.randint(1, 100_000)) for _ in range(5)]
                                for _ in range(6)]))
        if number < pages:
            story += [NextPageTemplate("two" if (number + 1) % 4 == 3 else "one"), PageBreak()]
    document.build(story)
    if document.page != pages:
        raise RuntimeError(f"{document.page} pages were made")


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _write_office(path, members, content_types):
    """An office file: its members, and the content types of those that are not plain XML."""
    types = "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in content_types.items())
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    first = ('<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
             '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
             f'<Default Extension="xml" ContentType="application/xml"/>{types}</Types>')
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in {"[Content_Types].xml": first, **members}.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), head + content, zipfile.ZIP_DEFLATED)


def _relationships(*targets):
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    items = "".join(f'<Relationship Id="rId{number}" Type="{base}{kind}" Target="{target}"/>'
                    for number, (kind, target) in enumerate(targets, 1))
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{items}</Relationships>'


def make_document(path, pages):
    """A Word file as people write them: on each page a heading, six paragraphs of several runs, a list of
    three items and a table of ten rows and five columns."""
    text = _Text(13)
    rng = text.rng
    words = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    stamp = f'w:rsidR="00{rng.randrange(16**6):06X}" w:rsidRDefault="00{rng.randrange(16**6):06X}"'

    def run(content, format=""):
        properties = f"<w:rPr>{format}</w:rPr>" if format else ""
        return f'<w:r>{properties}<w:t xml:space="preserve">{_escaped(content)}</w:t></w:r>'

    def paragraph(inner, properties=""):
        properties = f"<w:pPr>{properties}</w:pPr>" if properties else ""
        return f"<w:p {stamp}>{properties}{inner}</w:p>"

    def prose():
        runs = []
        for _ in range(rng.randint(3, 6)):
            runs.append(run(text.sentence() + " "))
            if rng.random() < 0.5:
                runs.append(run(" ".join(text.take(3)) + " ", rng.choice(("<w:b/>", "<w:i/>", '<w:color w:val="C00000"/>'))))
        return paragraph("".join(runs))

    def cell(content):
        return (f'<w:tc><w:tcPr><w:tcW w:w="1800" w:type="dxa"/></w:tcPr>'
                f'{paragraph(run(content))}</w:tc>')

    blocks = []
    for number in range(1, pages + 1):
        first = '<w:pStyle w:val="Heading1"/><w:pageBreakBefore/>'
        blocks.append(paragraph(run(f"{number} {text.sentence()}"), first))
        blocks += [prose() for _ in range(6)]
        blocks += [paragraph(run(text.sentence()), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
                   for _ in range(3)]
        rows = "".join("<w:tr>" + cell(text.take(1)[0]) + "".join(cell(str(rng.randint(1, 10**6))) for _ in range(4))
                       + "</w:tr>" for _ in range(10))
        grid = '<w:gridCol w:w="1800"/>' * 5
        blocks.append(f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>')
    styles = ('<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
              '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>'
              '<w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>')
    numbering = ('<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
                 '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
                 '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>')
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml."
    _write_office(path, {
        "_rels/.rels": _relationships(("officeDocument", "word/document.xml")),
        "word/document.xml": f'<w:document xmlns:w="{words}"><w:body>{"".join(blocks)}<w:sectPr/></w:body></w:document>',
        "word/_rels/document.xml.rels": _relationships(("styles", "styles.xml"), ("numbering", "numbering.xml")),
        "word/styles.xml": f'<w:styles xmlns:w="{words}">{styles}</w:styles>',
        "word/numbering.xml": f'<w:numbering xmlns:w="{words}">{numbering}</w:numbering>',
    }, {"word/document.xml": kind + "document.main+xml", "word/styles.xml": kind + "styles+xml",
        "word/numbering.xml": kind + "numbering+xml"})


def make_slides(path, slides):
    """A presentation: on each slide a title, eight points of two runs, a table of six rows and four columns,
    and notes."""
    text = _Text(14)
    rng = text.rng
    names = ('xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
             'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
             'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"')

    def run(content, format=""):
        return f'<a:r><a:rPr lang="en-US" {format}dirty="0"/><a:t>{_escaped(content)}</a:t></a:r>'

    def paragraph(*runs):
        return f'<a:p>{"".join(runs)}</a:p>'

    def place(x, y):
        return f'<a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="4000000" cy="600000"/></a:xfrm>'

    def shape(number, inner, where="", placeholder=""):
        return (f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="Shape {number}"/><p:cNvSpPr/><p:nvPr>{placeholder}'
                f'</p:nvPr></p:nvSpPr><p:spPr>{where}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>{inner}</p:txBody></p:sp>')

    def table(number):
        def cell():
            return f"<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>{paragraph(run(str(rng.randint(1, 10**6))))}</a:txBody><a:tcPr/></a:tc>"
        rows = "".join(f'<a:tr h="370840">{"".join(cell() for _ in range(4))}</a:tr>' for _ in range(6))
        grid = '<a:gridCol w="1000000"/>' * 4
        return (f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" name="Table"/><p:cNvGraphicFramePr/><p:nvPr/>'
                '</p:nvGraphicFramePr><p:xfrm><a:off x="1" y="1"/><a:ext cx="4000000" cy="2000000"/></p:xfrm><a:graphic>'
                '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table">'
                f'<a:tbl><a:tblPr/><a:tblGrid>{grid}</a:tblGrid>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>')

    def tree(inner):
        return ('<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
                f"<p:grpSpPr/>{inner}</p:spTree></p:cSld>")

    kind = "application/vnd.openxmlformats-officedocument.presentationml."
    members = {"_rels/.rels": _relationships(("officeDocument", "ppt/presentation.xml"))}
    types = {"ppt/presentation.xml": kind + "presentation.main+xml"}
    for number in range(1, slides + 1):
        points = "".join(paragraph(run(text.sentence() + " "), run(" ".join(text.take(3)), 'b="1" ')) for _ in range(8))
        slide = (shape(2, paragraph(run(text.sentence())), place(0, 0), '<p:ph type="title"/>')
                 + shape(3, points, place(0, 900000)) + table(4))
        part = f"ppt/slides/slide{number}.xml"
        members[part] = f"<p:sld {names}>{tree(slide)}</p:sld>"
        members[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relationships(
            ("notesSlide", f"../notesSlides/notesSlide{number}.xml"))
        notes = shape(2, paragraph(run(text.sentence())), "", '<p:ph type="body" idx="1"/>')
        members[f"ppt/notesSlides/notesSlide{number}.xml"] = f"<p:notes {names}>{tree(notes)}</p:notes>"
        members[f"ppt/notesSlides/_rels/notesSlide{number}.xml.rels"] = _relationships(
            ("slide", f"../slides/slide{number}.xml"))
        types[part] = kind + "slide+xml"
        types[f"ppt/notesSlides/notesSlide{number}.xml"] = kind + "notesSlide+xml"
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in range(1, slides + 1))
    members["ppt/presentation.xml"] = (f"<p:presentation {names}><p:sldIdLst>{listed}</p:sldIdLst>"
                                       '<p:sldSz cx="12192000" cy="6858000"/></p:presentation>')
    members["ppt/_rels/presentation.xml.rels"] = _relationships(
        *(("slide", f"slides/slide{number}.xml") for number in range(1, slides + 1)))
    _write_office(path, members, types)


def make_bomb(path):
    """A workbook of 4 MB whose one sheet would be 4 GB of spaces, as its directory says."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relationships = ('<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                     '<Relationship Id="r1" Type="{}/{}" Target="{}"/></Relationships>')
    spaces = b" " * (64 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        archive.writestr("_rels/.rels", relationships.format(office, "officeDocument", "xl/workbook.xml"))
        archive.writestr("xl/workbook.xml",
                         f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
                         '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>')
        archive.writestr("xl/_rels/workbook.xml.rels",
                         relationships.format(office, "worksheet", "worksheets/sheet1.xml"))
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'<worksheet xmlns="{main}"><sheetData>'.encode())
            for _ in range(64):
                sheet.write(spaces)
            sheet.write(b"</sheetData></worksheet>")
