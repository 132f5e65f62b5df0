"""The jobs of the demo workload: each follows from seed, queue and number alone, so two runs make the same ones."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Any, NamedTuple

from emqtop.demo.queues import tenants
from emqtop.wire.echomq.flows import Policy

DECLINED = "0002"
"""Last digits of a card that no bank accepts; a charge on it fails until it is dead."""
BROKEN = ".heic"
"""Kind of picture that the thumbnailer cannot read."""


class Way(Enum):
    """How a job comes to its queue."""

    READY = "ready"
    LANE = "lane"
    LATER = "later"
    FLOW = "flow"


@dataclass(frozen=True, slots=True)
class Child:
    """A job that the parent of a flow waits for."""

    queue: str
    """Where it runs."""
    payload: bytes
    """JSON."""
    policy: Policy = Policy.FAIL_PARENT
    """What its death means to its parent."""


@dataclass(frozen=True, slots=True)
class Made:
    """A job to be admitted."""

    way: Way
    """How it comes."""
    payload: bytes
    """JSON."""
    group: str = ""
    """Its lane, where it comes by one."""
    delay_ms: int = 0
    """When it is due, where it comes later."""
    children: tuple[Child, ...] = field(default=())
    """What it waits for, where it is a flow."""
    doomed: bool = False
    """Is it, or a child of it, bound to die?"""

    @property
    def size(self) -> int:
        """Jobs in all."""
        return 1 + len(self.children)


def make(seed: int, queue: str, number: int) -> Made:
    """The job of a queue by its number, counted from 0."""
    return _MAKERS[queue](_Draw(Random(f"{seed}:{queue}:{number}"), seed, number))


class _Draw(NamedTuple):
    """What decides one job."""

    dice: Random
    seed: int
    number: int


def _load(**fields: Any) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()


_PEOPLE = ("ada.lovelace", "grace.hopper", "edsger.dijkstra", "barbara.liskov", "alan.kay", "radia.perlman")
_SKUS = ("MUG-BLUE", "TEE-M-BLACK", "NOTEBOOK-A5", "CABLE-USB-C", "LAMP-DESK", "POSTER-A2", "PEN-GEL-3")


def _address(dice: Random) -> str:
    return f"{dice.choice(_PEOPLE)}@{dice.choice(('example.com', 'example.org', 'mail.example'))}"


def _items(dice: Random) -> list[dict[str, Any]]:
    return [
        {"sku": dice.choice(_SKUS), "qty": dice.randint(1, 4), "cents": dice.randint(3, 120) * 50}
        for _ in range(dice.randint(1, 4))
    ]


def _order(draw: _Draw) -> Made:
    items = _items(draw.dice)
    total, order = sum(item["qty"] * item["cents"] for item in items), 10_000 + draw.number
    payload = _load(order=order, customer=_address(draw.dice), items=items, total_cents=total, currency="EUR")
    if draw.number % 15 != 7:
        return Made(Way.READY, payload)
    declined = draw.number % 150 == 37
    children = (
        Child("payments", _charge(draw.dice, order, declined)),
        Child("emails", _letter(draw.dice, "order-received", order), Policy.IGNORE),
    )
    return Made(Way.FLOW, payload, children=children, doomed=declined)


def _letter(dice: Random, template: str, about: int) -> bytes:
    locale = dice.choice(("en", "de", "pl", "pt-BR"))
    return _load(to=_address(dice), template=template, locale=locale, vars={"number": about, "name": "Zoë"})


def _email(draw: _Draw) -> Made:
    template = draw.dice.choice(("welcome", "invoice", "password-reset", "newsletter", "shipping-update"))
    return Made(Way.READY, _letter(draw.dice, template, 70_000 + draw.number))


def _charge(dice: Random, order: int, declined: bool) -> bytes:
    last4 = DECLINED if declined else str(dice.randint(1000, 9999))
    card = {"brand": dice.choice(("visa", "mastercard", "amex")), "last4": last4}
    return _load(charge=f"ch_{dice.getrandbits(40):010x}", order=order, cents=dice.randint(5, 900) * 99, card=card)


def _payment(draw: _Draw) -> Made:
    declined = draw.number % 25 == 4
    return Made(Way.READY, _charge(draw.dice, 40_000 + draw.number, declined), doomed=declined)


def _task(draw: _Draw) -> Made:
    all_tenants = tenants(draw.seed)
    (tenant,) = draw.dice.choices(all_tenants, [each.share for each in all_tenants])
    task = draw.dice.choice(("import-contacts", "sync-crm", "rebuild-index", "export-csv"))
    return Made(Way.LANE, _load(tenant=tenant.name, task=task, rows=draw.dice.randint(10, 50_000)), group=tenant.group)


def _album(draw: _Draw) -> Made:
    album = f"album-{5_000 + draw.number}"
    broken = draw.number % 20 == 6
    count = draw.dice.randint(2, 5)
    kinds = [BROKEN if broken and at == 0 else draw.dice.choice((".jpg", ".png", ".webp")) for at in range(count)]
    children = tuple(
        Child(
            "thumbnails",
            _load(image=f"s3://media/{album}/IMG_{draw.dice.randint(1, 9999):04}{kind}", sizes=[64, 256, 1024]),
            Policy.IGNORE,
        )
        for kind in kinds
    )
    return Made(Way.FLOW, _load(album=album, pictures=count), children=children, doomed=broken)


def _report(draw: _Draw) -> Made:
    dice = draw.dice
    kind = "year-end" if draw.number % 12 == 3 else dice.choice(("revenue", "churn", "stock", "traffic"))
    form, days = dice.choice(("pdf", "xlsx")), dice.choice((1, 7, 30))
    payload = _load(report=kind, run=draw.number, days=days, format=form, to=_address(dice))
    return Made(Way.LATER, payload, delay_ms=dice.randint(1_000, 20_000))


_MAKERS: dict[str, Callable[[_Draw], Made]] = {
    "orders": _order,
    "emails": _email,
    "tenants": _task,
    "payments": _payment,
    "thumbnails": _album,
    "reports": _report,
}

REPEATS = (
    ("reports", "revenue:hourly", 5_000, _load(report="revenue", days=1, format="pdf", to="board@example.com")),
    ("reports", "stock:nightly", 12_000, _load(report="stock", days=30, format="xlsx", to="depot@example.com")),
    ("emails", "digest:weekly", 15_000, _load(to="all@example.com", template="digest", locale="en", vars={})),
)
"""Queue, name, period in ms and template of each repeating job."""
