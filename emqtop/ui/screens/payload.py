"""The data of a job: any field of its row as folded JSON, as text or as hex."""

from collections.abc import Iterator, Sequence

from textual.widget import Widget

from emqtop.model.job import JobDetail
from emqtop.model.queue import QueueId
from emqtop.present.json_tree import JsonTree, NotJson, parse
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.clipboard import Copied, clean
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.forms import HexLines, JsonLines, is_text, text_lines
from emqtop.ui.job_text import PAYLOAD_FIELDS
from emqtop.ui.keymap import keymap_of
from emqtop.ui.messages import JobArrived, PartArrived
from emqtop.ui.outside import NoProgram, editor, pager, show_in
from emqtop.ui.screens.ask import AskScreen
from emqtop.ui.screens.listing import FilterInput
from emqtop.ui.screens.searched import SearchedScreen
from emqtop.ui.widgets.line import Line, Part
from emqtop.ui.widgets.paper import Text
from emqtop.ui.widgets.sheet import Sheet
from emqtop.units import size

PART_BYTES = 4 << 20
"""How much of a large value is loaded at a time."""
FORMS = ("json", "text", "hex")

NOT_FOLDED = "only json is folded; {form} shows another form, where the value has one"


class PayloadScreen(SearchedScreen):
    """One field at a time; what is larger than 64 kB is loaded only after a question.

    Attributes:
        whole: its size, bytes.
        form: how it is shown.
    """

    PLACE = Place.PAYLOAD
    BINDINGS = bindings(Place.PAYLOAD, Place.TEXT)

    def __init__(self, queue: QueueId, job_id: str, detail: JobDetail | None = None) -> None:
        super().__init__()
        self.queue = queue
        self.job_id = job_id
        self.detail = detail
        self.gone = False
        self.field = ""
        self.whole = 0
        self.form = ""
        self._form_chosen = False
        self._asked: int | None = None

    def view(self) -> Iterator[Widget]:
        """Field and form, the data, the line for a search."""
        yield Line(id="form")
        yield Sheet(id="sheet")
        yield FilterInput()

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, job, data."""
        return ("emqtop", safe(self.queue.name), safe(self.job_id), "data")

    def queue_meant(self) -> QueueId | None:
        """That of the job."""
        return self.queue

    def job_meant(self) -> str | None:
        """The one whose data it is."""
        return self.job_id

    def on_mount(self) -> None:
        """Give the keys to the data."""
        super().on_mount()
        self.sheet.focus()
        if self.detail is None:
            self.draw()
        else:
            self._show_payload()

    async def read(self, source: Source) -> None:
        """Read the job once, and of a large value the part that was asked for."""
        if self.detail is None and not self.gone:
            self.post_message(JobArrived(await source.job(self.queue, self.job_id)))
        elif self._asked is not None:
            start, self._asked = self._asked, None
            part = await source.field(self.queue, self.job_id, self.field, start, PART_BYTES)
            self.post_message(PartArrived(self.field, start, part))

    def on_job_arrived(self, message: JobArrived) -> None:
        """Show its payload, else its first field."""
        self.detail, self.gone = message.detail, message.detail is None
        self._show_payload()

    def _show_payload(self) -> None:
        names = self._names()
        self._show_field(next((name for name in PAYLOAD_FIELDS if name in names), names[0] if names else ""))

    def on_part_arrived(self, message: PartArrived) -> None:
        """Put the part behind what is loaded."""
        self.hush()
        if message.field != self.field or message.start != len(self.data):
            return
        if not message.part:
            self.say("there is no more of it: the field has changed or is gone", "warn")
        self._take(self.data + message.part)

    def _names(self) -> list[str]:
        return [] if self.detail is None else [name for name, _, _ in self.detail.fields]

    def _show_field(self, name: str) -> None:
        fields = () if self.detail is None else self.detail.fields
        found = next((field for field in fields if field[0] == name), (name, b"", 0))
        self.field, _, self.whole = found
        self._form_chosen = False
        self._take(found[1])

    def _take(self, data: bytes) -> None:
        self.data, self.matches = data, ()
        self.json = self._tree()
        if not self._form_chosen or (self.form == "json" and self.json is None):
            self.form = "json" if self.json is not None else "text" if is_text(data) else "hex"
        self.draw()

    def _tree(self) -> JsonTree | None:
        if not self.data or len(self.data) < self.whole:
            return None
        try:
            return JsonTree(parse(self.data.decode("utf-8", "surrogateescape")))
        except NotJson:
            return None

    def draw(self, index: int | None = 0) -> None:
        """Field, form and data."""
        names = self._names()
        place = f" {names.index(self.field) + 1}/{len(names)}" if self.field in names else ""
        left = [Part(f" {safe(self.field)}", "accent"), Part(f"{place}  ", "dim")]
        for form in FORMS:
            front = form == self.form
            tone = "strong" if front else "dim"
            left.append(Part(f"[{form}]" if front else f" {form} ", tone))
        loaded = size(self.whole) if len(self.data) >= self.whole else f"{size(len(self.data))} of {size(self.whole)}"
        self.query_one("#form", Line).show(left, [Part(f"{loaded} ", "dim")])
        self.sheet.show(self._lines(), index)
        self.draw_status()
        self.draw_keys()

    def _lines(self) -> Sequence[Text]:
        if not self.data:
            return [(Part(*self._why_empty()),)]
        if self.form == "json" and self.json is not None:
            return JsonLines(self.json)
        return HexLines(self.data, self.size.width) if self.form == "hex" else text_lines(self.data, self.size.width)

    def _why_empty(self) -> tuple[str, str]:
        if self.gone:
            return "no such job", "bad"
        if self.detail is None:
            return "loading", "dim"
        if self.whole:
            return f"{size(self.whole)} are not loaded unasked: m loads them", "warn"
        return ("this field is empty" if self.field else "this job has no row"), "dim"

    def on_resize(self) -> None:
        """Wrap for another width."""
        super().on_resize()
        if self.ready:
            self.draw(None)

    def summary(self) -> Sequence[Part]:
        """What was looked for."""
        if not self.wanted:
            return ()
        return (Part("search ", "dim"), Part(safe(self.wanted), "accent"), Part(f"  {len(self.matches)} found", "dim"))

    def usable(self, command: Command) -> bool:
        """Is there more to load, anything to fold or to read?"""
        if command.id == "load":
            return len(self.data) < self.whole
        if command.id == "fold":
            return self.path() is not None
        if command.id == "pager":
            return bool(self.data)
        return super().usable(command)

    def action_scroll(self, rows: int) -> None:
        """Move the cursor by lines."""
        self.sheet.move(rows)

    def action_scroll_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.sheet.page(pages)

    def action_scroll_to_end(self, last: bool) -> None:
        """Move the cursor to an end."""
        self.sheet.to_end(last)

    def action_fold(self) -> None:
        """Fold or unfold the container under the cursor."""
        if (path := self.path()) is not None and self.json is not None:
            self.json.toggle(path)
            self.draw(None)
        else:
            self.hint(keymap_of(self).fill(NOT_FOLDED))

    def action_fold_all(self, folded: bool) -> None:
        """Fold everything, or unfold everything."""
        if self.json is not None and self.form == "json":
            self.json.fold_all(folded)
            self.draw(0)
        else:
            self.hint(keymap_of(self).fill(NOT_FOLDED))

    def action_form(self) -> None:
        """The next form; JSON only where it is some."""
        forms = [form for form in FORMS if form != "json" or self.json is not None]
        self.form = forms[(forms.index(self.form) + 1) % len(forms)] if self.form in forms else forms[0]
        self._form_chosen, self.matches = True, ()
        self.draw()

    def action_field(self) -> None:
        """The next field of the row."""
        names = self._names()
        if names:
            self._show_field(names[(names.index(self.field) + 1) % len(names)])

    def action_load(self) -> None:
        """Ask before a large value is loaded."""
        if (left := self.whole - len(self.data)) <= 0:
            self.say("all of it is loaded")
            return
        part = min(left, PART_BYTES)
        question: list[Text] = [
            (Part("Load", "strong"), Part(f"  {safe(self.field)}", "accent"), Part(f"  {safe(self.job_id)}", "dim")),
            (),
            (Part(f"Load {size(part)} of the {size(left)} that are not here yet?"),),
            (Part("the server may have to send the whole field for it", "dim"),),
        ]
        self.app.push_screen(AskScreen(question, "Load"), self._answered)

    def _answered(self, yes: bool | None) -> None:
        if yes:
            self._asked = len(self.data)
            self.say("loading", "dim")
            self.wants_reading()

    def copied(self) -> Copied | None:
        """The value under the cursor in the folded form, else all that is loaded."""
        if (path := self.path()) is not None and self.json is not None:
            return Copied("value", self.json.text(path))
        return Copied(safe(self.field) or "field", self.data.decode("utf-8", "surrogateescape"))

    def copied_row(self) -> Copied | None:
        """All that is loaded."""
        return Copied(safe(self.field) or "field", self.data.decode("utf-8", "surrogateescape"))

    def _copy(self, copied: Copied | None) -> None:
        if self.whole and not self.data:
            self.hint(keymap_of(self).fill("nothing of it is loaded yet: {load} loads it"))
        else:
            super()._copy(copied)

    def action_pager(self) -> None:
        """Read it in $PAGER, with controls made visible."""
        self._leave(pager(), clean(self.data.decode("utf-8", "surrogateescape")).encode())

    def action_editor(self) -> None:
        """Look at a copy in $EDITOR, byte by byte; what is changed there stays there."""
        self._leave(editor(), self.data)

    def _leave(self, command: list[str], data: bytes) -> None:
        if not data:
            self.say("nothing of it is here to show", "warn")
            return
        name = "value.json" if self.json is not None else "value.txt"
        self.run_worker(self._show(command, data, name), exit_on_error=True)

    async def _show(self, command: list[str], data: bytes, name: str) -> None:
        try:
            await show_in(self.app, command, data, name)
        except NoProgram as error:
            self.say(str(error), "warn")

    def action_back(self) -> None:
        """Out of the search, else back to the job."""
        if not self.close_search():
            self.dismiss()
