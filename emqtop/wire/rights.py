"""The least rights that emqtop needs of a server, as rules of ACL SETUSER.

What each list holds was found by running every read and every act as a user of exactly these rules; a test does it
again. Lua scripts run with the rights of their caller, so what they call is listed too.
"""

from collections.abc import Iterable

from emqtop.wire.echomq.events import every_channel
from emqtop.wire.echomq.keyspace import VERSION, prefix_glob

_LOOK = (
    "asking client|list client|setname client|tracking cluster|slots dbsize exec exists get getrange hexists hget "
    "hkeys hlen hmget hrandfield hscan hstrlen info llen lpos lrange multi ping psubscribe pttl scan scard select "
    "sismember smembers srandmember sscan subscribe time type unsubscribe zcard zcount zlexcount zmscore zrange "
    "zrank zscore"
)
"""Reads of either family."""
_LOOK_BULLMQ = "lindex xrange xrevrange"
_ACT = (
    "decr del eval evalsha hdel hgetall hincrby hset hsetnx lpush lrem ltrim mget rpush sadd set srem unlink zadd zrem"
)
_ACT_BULLMQ = (
    "hmset incr lpop pexpire rename renamenx rpoplpush unwatch watch xadd xtrim zpopmin zrangebyscore "
    "zremrangebyrank zremrangebyscore zrevrange zrevrangebyscore"
)


def rules(prefixes: Iterable[str], *, act: bool, echomq: bool = True, bullmq: bool = True) -> list[str]:
    """The rules of a user, the keys first, then the channels, then the commands by name.

    Args:
        prefixes: key prefixes whose queues it may see; `*` for all.
        act: may it act too, or only look?
        echomq: does it see EchoMQ queues?
        bullmq: does it see BullMQ queues? Their keys may be any key of the prefix.
    """
    words = f"{_LOOK} {_LOOK_BULLMQ if bullmq else ''}"
    if act:
        words += f" {_ACT} {_ACT_BULLMQ if bullmq else ''}"
    wanted = list(dict.fromkeys(prefixes))
    tail = ":*" if bullmq else ":{*}:*"
    version = [f"{'%R' if act else ''}~{VERSION.decode()}"] if echomq else []
    channels = [f"&{every_channel(prefix)}" for prefix in wanted] if echomq else []
    keys = [f"~{prefix_glob(prefix)}{tail}" for prefix in wanted]
    return [
        "resetkeys",
        "resetchannels",
        "-@all",
        *keys,
        *version,
        *channels,
        *(f"+{word}" for word in sorted(set(words.split()))),
    ]
