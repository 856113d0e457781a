"""Purchases alone and beside a crowd that does not read and does not leave, in turns.

20,000 silent connections or as many as may be open, 2,000 clients with unread pages, 5,000 WebSockets;
from addresses of their own. Says how much memory the crowd took, and what was left when it had gone.
"""
import dataclasses

import servers
from slow_crowd import CONFIG, Size, SlowCrowd, footprint, wait_until_gone

CONNECTIONS = 256
CONNECTIONS_MAX = 20_000  # the server's default
LISTED_SALES = 100        # a page of /rounds is full


def measure(p, users, directory, say):
    size = Size(*p.slow).within_limits(CONNECTIONS_MAX)
    say(f"   {size.idle:,} idle connections, {size.unread:,} unread pages, {size.sockets:,} sockets")
    shop = servers.floodgate(directory, max(users, size.sockets), max(2 * p.rounds, LISTED_SALES))
    with shop.tokens.open() as file:
        tokens = [next(file).strip() for _ in range(size.sockets)]
    config = directory / "floodgate.toml"
    config.write_text(CONFIG)
    rows, memory = [], []
    with shop.serve(config=config) as process:
        address = ("127.0.0.1", shop.port)
        for turn in range(p.rounds):
            rows.append(one(p, "purchase", shop, shop.sales[2 * turn], say))
            servers.settle(process)
            before = footprint(process.pid)
            with SlowCrowd(address, size, tokens):
                during = footprint(process.pid)
                rows.append(one(p, "purchase_beside", shop, shop.sales[2 * turn + 1], say))
            left = wait_until_gone(address)
            servers.settle(process)
            after = footprint(process.pid)
            memory.append({"before": dataclasses.asdict(before), "during": dataclasses.asdict(during),
                           "after": dataclasses.asdict(after), "left": left})
            say(f"   rss {before.rss >> 20} -> {during.rss >> 20} -> {after.rss >> 20} MiB, left: {left}")
    return {"size": dataclasses.asdict(size), "load": rows, "memory": memory}


def one(p, what, shop, sale, say):
    figures = servers.crowd(shop.port, sale, shop.tokens, connections=CONNECTIONS, seconds=p.seconds)
    say(f"   {what:15} {figures['rate']:8,.0f}/s  p50 {figures['p50_ms']:6.2f}  "
        f"p99 {figures['p99_ms']:6.2f} ms  {'VOID ' + figures['void'] if figures['void'] else ''}")
    return {"what": what, "connections": CONNECTIONS, **figures}
