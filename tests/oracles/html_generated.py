"""Prints HTML made at random, of tags that are closed out of turn, and what html5lib shows of it.
usage: html_generated.py SEED; pairs of lines: the source as JSON, its characters sorted as JSON."""
import json
import random
import sys

import html5lib

COUNT = 1500
WORDS = "alpha beta gamma delta eps zeta eta theta iota kappa".split()
INLINE = "b i span em a code sup font u nobr ruby rt label".split()
BLOCKS = ("p div ul li ol dl dt dd h1 h2 section pre blockquote address center form fieldset legend "
          "details summary figure figcaption main").split()
TABLES = "table tr td th tbody thead caption colgroup tfoot".split()
OTHERS = ("button textarea title template noscript svg math mi iframe object video body html "
          "head xmp").split()
VOID = "br hr img input meta link wbr col".split() + ["input name=1"]
TEXT_ENDS = [" ", "", "&amp;", "\n", "&lt", "&notit;", "&#65;", "&nbsp;", " < ", "&bogus;"]
ODDITIES = ["<!--c-->", "<!-- c", "<!d>", "<?p?>", "</>", "< /p>", "<![CDATA[d]]>", "<!-->", "<a b"]


def fragment(rng):
    out = [rng.choice(["<!DOCTYPE html>", ""])]
    special = rng.choice([TABLES, INLINE, OTHERS])
    for _ in range(rng.randint(3, 25)):
        chance = rng.random()
        if chance < 0.35:
            out.append(rng.choice(WORDS) + str(rng.randint(0, 99)) + rng.choice(TEXT_ENDS))
            continue
        pool = (INLINE if chance < 0.5 else BLOCKS if chance < 0.7 else VOID if chance < 0.76 else
                special)
        tag = rng.choice(pool)
        # html5lib is older than the rule that </p> ends svg and math.
        is_end = rng.random() < 0.45 and pool is not VOID and (tag != "p" or special is not OTHERS)
        if is_end:
            out.append(f"</{tag}>")
        else:
            attributes = rng.choice(["", " class=x", " id='a' x=\"b>c\"", " href=x", " hidden"])
            out.append(f"<{tag}{attributes}" + rng.choice([">", ">", ">", "/>"]))
        if rng.random() < 0.05:
            out.append(rng.choice(ODDITIES))
    return "".join(out)


def walk(node, out):
    if not isinstance(node.tag, str):
        return
    name = node.tag.rsplit("}", 1)[-1]
    if name not in ("script", "style") and node.text:
        out.append(node.text)
    for child in node:
        walk(child, out)
        if child.tail:
            out.append(child.tail)


def main():
    rng = random.Random(int(sys.argv[1]))
    for _ in range(COUNT):
        source = fragment(rng)
        out = []
        walk(html5lib.parse(source, scripting=False), out)
        print(json.dumps(source))
        print(json.dumps("".join(sorted(c for c in "".join(out) if c not in " \t\r\n\f"))))


main()
