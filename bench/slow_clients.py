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
    shop = servers.floodgate(directory, max(users, size.sockets), max(2 * p.rounds + 1, LISTED_SALES))
    with shop.tokens.open() as file:
        tokens = [next(file).strip() for _ in range(size.sockets)]
    config = directory / "floodgate.toml"
    config.write_text(CONFIG)
    rows, memory = [], []
    with shop.serve(config=config) as process:
        sales = iter(shop.sales)

        def alone():
            rows.append(one(p, "purchase", shop, next(sales), say))
            servers.settle(process)

        def beside():
            before = footprint(process.pid)
            with SlowCrowd(shop.address, size, tokens):
                during = footprint(process.pid)
                rows.append(one(p, "purchase_beside", shop, next(sales), say))
            left = wait_until_gone(shop.address)
            servers.settle(process)
            after = footprint(process.pid)
            memory.append({"before": dataclasses.asdict(before), "during": dataclasses.asdict(during),
                           "after": dataclasses.asdict(after), "left": left})
            say(f"   rss {before.rss >> 20} -> {during.rss >> 20} -> {after.rss >> 20} MiB, left: {left}")

        # The more a server has sold, the more its jobs look at: neither side always comes first, and the
        # very first rush, the quickest of all, counts for neither.
        alone()
        rows.clear()
        for turn in range(p.rounds):
            for act in (beside, alone) if turn % 2 else (alone, beside):
                act()
    return {"size": dataclasses.asdict(size), "load": rows, "memory": memory}


def one(p, what, shop, sale, say):
    figures = servers.crowd(shop.port, sale, shop.tokens, connections=CONNECTIONS, seconds=p.seconds)
    say(f"   {what:15} {figures['rate']:8,.0f}/s  p50 {figures['p50_ms']:6.2f}  "
        f"p99 {figures['p99_ms']:6.2f} ms  {'VOID ' + figures['void'] if figures['void'] else ''}")
    return {"what": what, "connections": CONNECTIONS, **figures}
