"""The posts: the list, and the writing desk."""

import re

from playwright.sync_api import Locator, expect

from e2e.pages.studio import Studio

_COPIED = """html => {
    const copied = new DataTransfer();
    copied.setData("text/html", html);
    copied.setData("text/plain", "plain");
    return copied;
}"""
_COPY_PICTURE = """async () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [3, 2];
    const drawn = await new Promise((done) => canvas.toBlob(done, "image/png"));
    await navigator.clipboard.write([new ClipboardItem({ "image/png": drawn })]);
}"""
_PASTE = """(area, copied) => area.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData: copied, bubbles: true, cancelable: true })
)"""
_CARRY = """([name, kind, base64]) => {
    const carried = new DataTransfer();
    const octets = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    carried.items.add(new File([octets], name, { type: kind }));
    return carried;
}"""


class Posts:
    """The list of posts."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor

    def open(self) -> None:
        """By the navigation."""
        self.studio.to("Posts")

    def write(self) -> "Editor":
        """Begin a new post."""
        self.studio.open("posts/new")
        return Editor(self.studio)


class Editor:
    """The writing desk."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor
        self.page = studio.visitor.page
        self.title: Locator = self.page.get_by_role("textbox", name="Title", exact=True)
        self.text: Locator = self.page.get_by_role("textbox", name="Text", exact=True)

    def paste(self, words: str) -> None:
        """Paste into the text, as a person does."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.evaluate("words => navigator.clipboard.writeText(words)", words)
        self.text.focus()
        self.page.keyboard.press("ControlOrMeta+V")

    def paste_html(self, html: str) -> None:
        """Paste at the end of the text what another program copied; the clipboard itself would clean it."""
        self.text.press("ControlOrMeta+End")
        self.text.evaluate(_PASTE, self.page.evaluate_handle(_COPIED, html))

    def drop(self, name: str, kind: str, base64: str) -> None:
        """Drop a file on the text."""
        carried = self.page.evaluate_handle(_CARRY, [name, kind, base64])
        self.text.press("ControlOrMeta+End")
        self.text.dispatch_event("drop", {"dataTransfer": carried})

    def preview(self) -> Locator:
        """What readers will see, as it follows the typing."""
        return self.page.get_by_role("region", name="What readers will see")

    def see_as(self, view: str) -> None:
        """Site, Mail or Phone."""
        self.page.get_by_role("radio", name=view, exact=True).check()

    def saved(self) -> int:
        """Wait for the autosave; the version that it made."""
        line = self.page.get_by_role("status").filter(has_text=re.compile("^Saved at"))
        expect(line).to_have_attribute("data-state", "saved")
        return int(line.get_attribute("data-version") or "0")

    def save(self) -> None:
        """The button."""
        self.visitor.press("Save")
        self.visitor.ready()

    def stored(self) -> int:
        """What is typed is saved: by itself, or by the button without scripts; its version."""
        if self.visitor.scripted:
            return self.saved()
        self.save()
        expect(self.visitor.status().filter(has_text="Saved.")).to_be_visible()
        return int(self.page.locator("#saved").get_attribute("data-version") or "0")

    def paste_picture(self) -> None:
        """Paste a picture that was copied as such, from the clipboard itself."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.evaluate(_COPY_PICTURE)
        self.text.press("ControlOrMeta+End")
        self.page.keyboard.press("ControlOrMeta+V")

    def publish(self) -> "Publish":
        """On to the page of the press."""
        self.visitor.press("Save and publish…")
        self.visitor.ready()
        return Publish(self.studio)


class Publish:
    """The last look before the press."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.visitor = studio, studio.visitor
        self.page = studio.visitor.page

    def choose(self, where: str) -> None:
        """`To the site`, `To the site and by email` or `By email only`."""
        self.page.get_by_role("radio", name=where, exact=True).check()

    def audience(self) -> tuple[int, int]:
        """How many will get it, and how many of the newsletter will not, as the page says."""
        kinds = ("unsubscribed", "blocked", "unconfirmed")
        told = [self.page.locator(f'[data-figure="{kind}"]') for kind in kinds]
        out = sum(int(one.get_attribute("data-value") or "0") for one in told if one.count())
        return self.visitor.figure("will"), out

    def button(self) -> Locator:
        """The one act of the page."""
        return self.page.get_by_role("button", name=re.compile("^(Publish|Send to|Publish and send to)"))
