"""Footnotes as other programs write them: a link down to the note, and a link back up from it."""

from bs4 import BeautifulSoup, Tag

NOTE, NOTE_MARK = "godwit_note", "godwit_note_mark"
_BLOCKS = ("li", "p", "dd", "section", "div")


def find_notes(soup: BeautifulSoup) -> None:
    """Each pair of links that lead to each other becomes a mark where it is and a note at the end."""
    named = _anchors(soup)
    done: set[int] = set()
    number = 0
    for mark in soup.find_all("a", href=lambda href: bool(href) and str(href).startswith("#")):
        if mark.decomposed or id(mark) in done:
            continue
        back = named.get(str(mark["href"])[1:])
        if back is None or back.decomposed or not _leads_back(back, mark, named):
            continue
        note = back.find_parent(_is_around) or back.find_parent(_BLOCKS)
        if note is None or note in mark.parents:
            continue
        done |= {id(mark), id(back)}
        number += 1
        _take(soup, mark, back, note, str(number))


def _anchors(soup: BeautifulSoup) -> dict[str, Tag]:
    """The link at, around or in the element of each id or name."""
    found: dict[str, Tag] = {}
    for tag in soup.find_all(lambda tag: tag.has_attr("id") or tag.has_attr("name")):
        link = tag if tag.name == "a" and tag.get("href") else tag.find("a", href=True)
        for name in (tag.get("id"), tag.get("name")):
            if name and link is not None and str(link.get("href")).startswith("#"):
                found.setdefault(str(name), link)
    return found


def _leads_back(back: Tag, mark: Tag, named: dict[str, Tag]) -> bool:
    return back is not mark and named.get(str(back.get("href"))[1:]) is mark


def _is_around(tag: Tag) -> bool:
    classes = tag.get("class") or []
    style = str(tag.get("style") or "").replace(" ", "")
    return "footnote" in classes or "mso-element:footnote" in style


def _take(soup: BeautifulSoup, mark: Tag, back: Tag, note: Tag, label: str) -> None:
    """`mark` as a note's mark, what `note` says as that note at the end of the text."""
    sign = soup.new_tag(NOTE_MARK, attrs={"label": label})
    around = mark.parent
    mark.replace_with(sign)
    if around is not None and around.name == "sup" and around.get_text(strip=True) == "":
        around.unwrap()
    lifted = back.parent
    back.decompose()
    if lifted is not None and lifted.name == "sup" and not lifted.get_text(strip=True):
        lifted.decompose()
    made = soup.new_tag(NOTE, attrs={"label": label})
    made.extend(list(note.contents))
    note.decompose()
    soup.append(made)
