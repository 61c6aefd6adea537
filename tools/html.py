"""A web page as text: what a reader would read, with Markdown's marks for headings, lists, tables and code blocks.

The marks let the chunker respect structure. Knows nothing about files or encodings.
"""

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup
from bs4.element import PageElement, PreformattedString, Tag

DROPPED = ("script", "style", "nav", "template", "noscript", "svg", "iframe", "aside", "button", "select")
CONTAINERS = "article body details div fieldset footer form header main section summary"
TEXTS = "address blockquote center dd dl dt figcaption figure li ol p ul"
BLOCKS = frozenset(f"{CONTAINERS} {TEXTS}".split())
HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
SPACE = re.compile(r"[ \t\r\n\f\v\xa0]+")


def html_to_text(html: str) -> tuple[str, str]:
    """(title, text) of a page: its main part where it marks one (`main`, or a single `article`), else its body."""
    soup = BeautifulSoup(html, "html.parser")
    title = _inline(soup.title) if soup.title else ""
    for tag in soup.find_all([*DROPPED, "head"]):
        tag.decompose()
    main = soup.find("main") or _single(soup, "article") or soup.body or soup
    if main.name == "body":
        for footer in main.find_all("footer"):
            footer.decompose()
    blocks = [block for block in _blocks(main) if block.strip()]
    heading = main.find("h1") or soup.find("h1")
    return title or (_inline(heading) if heading else ""), _joined(blocks)


def _single(soup: BeautifulSoup, name: str) -> Tag | None:
    found = soup.find_all(name, limit=2)
    return found[0] if len(found) == 1 else None


def _blocks(root: Tag) -> Iterator[str]:
    """Blocks of text in the order of the page. A loop, not recursion: pages nest deeply."""
    line: list[str] = []
    outer = _outer_tables(root)
    stack: list[PageElement | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            block = _whole(node, outer)
            if block is not None or node.name in BLOCKS:
                yield _tidy(line)
                line = ["- "] if node.name == "li" else []
            if block is not None:
                yield block
            elif node.name == "br":
                line.append("\n")
            else:
                stack.extend(["\0"] if node.name in BLOCKS else [])
                stack.extend(reversed(node.contents))
        elif node == "\0":
            yield _tidy(line)
            line = []
        elif not isinstance(node, PreformattedString):  # comments and doctype
            line.append(SPACE.sub(" ", str(node)))
    yield _tidy(line)


def _outer_tables(root: Tag) -> set[int]:
    """Identities of the tables that hold another. One walk: to look into each table would take time by its depth."""
    outer, stack = set[int](), [(root, 0)]
    while stack:
        tag, table = stack.pop()
        if tag.name == "table":
            outer.add(table)
            table = id(tag)
        stack.extend((child, table) for child in tag.contents if isinstance(child, Tag))
    return outer


def _whole(tag: Tag, outer: set[int]) -> str | None:
    """The block that a tag makes as a whole; None for tags whose children are blocks or text of the line."""
    if tag.name in HEADINGS:
        return f"{HEADINGS[tag.name]} {_inline(tag)}" if _inline(tag) else ""
    if tag.name == "pre":
        return f"```\n{tag.get_text().strip()}\n```"
    if tag.name == "hr":
        return ""
    if tag.name == "table" and id(tag) not in outer:
        return _table(tag)
    return None


def _table(table: Tag) -> str:
    """Rows as a Markdown table; a table of one column or one row only lays out a page, and stays text."""
    rows = [[_inline(cell).replace("|", "\\|") for cell in row.find_all(["td", "th"])] for row in table.find_all("tr")]
    rows = [row for row in rows if any(row)]
    width = max((len(row) for row in rows), default=0)
    if width < 2 or len(rows) < 2:
        return "\n".join(" ".join(row) for row in rows)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    caption = f"{_inline(table.caption)}\n\n" if table.caption else ""
    return caption + "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _inline(tag: Tag) -> str:
    """Text on one line; a space only where the page has one or begins a block."""
    parts = [
        (" " if node.name == "br" or node.name in BLOCKS else "")
        if isinstance(node, Tag)
        else ("" if isinstance(node, PreformattedString) else str(node))
        for node in tag.descendants
    ]
    return SPACE.sub(" ", "".join(parts)).strip()


def _tidy(line: list[str]) -> str:
    text = "\n".join(SPACE.sub(" ", part).strip() for part in "".join(line).split("\n")).strip()
    return "" if text == "-" else text


def _joined(blocks: list[str]) -> str:
    """Blocks with an empty line between them, items of a list directly under each other."""
    text = ""
    for before, block in zip(["", *blocks], blocks, strict=False):
        text += "" if not before else "\n" if before.startswith("- ") and block.startswith("- ") else "\n\n"
        text += block
    return text
