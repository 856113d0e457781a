"""nginx as deploy/nginx configures it, with this test's addresses put in."""
import os
import pathlib
import re

from servers import Nginx

DEPLOY = pathlib.Path(__file__).resolve().parent.parent / "deploy"
NODE = re.compile(r" *server 10\.0\.0\.\d+:8080 (.*);\n")


class Front(Nginx):
    """In front of nodes at "HOST:PORT". `limited`: loopback is one address for all buyers of a
    test, so the limits for each address are off unless wanted. Then purchases are counted so slowly that
    no machine is too slow to pass the limit."""

    def __init__(self, nodes, limited=False, port=None, place=None, guarded=True, tls=None,
                 insiders=True):
        """`tls`: (certificate file, key file, port). `insiders`: whether loopback is one."""
        super().__init__("", port, place, guarded)
        self.nodes, self.limited, self.tls, self.insiders = list(nodes), limited, tls, insiders

    def prepare(self):
        (self.place / "cache").mkdir(exist_ok=True)
        names = ["floodgate.conf", "floodgate-locations.conf"] + ["floodgate-tls.conf"] * bool(self.tls)
        for name in names:
            text = self.fill((DEPLOY / "nginx" / name).read_text())
            (self.place / name.replace("floodgate.conf", "nginx.conf")).write_text(text)

    def fill(self, text):
        found = NODE.findall(text)
        if found:
            first = NODE.search(text).start()
            text = NODE.sub("", text)
            lines = "".join(f"        server {node} {found[0]};\n" for node in self.nodes)
            text = text[:first] + lines + text[first:]
        temporary = "".join(f"    {kind}_temp_path {self.place}/{kind};\n"
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        changes = {"user www-data;\n": "user root;\n" if os.geteuid() == 0 else "",
                   "http {\n": "http {\n" + temporary,
                   "worker_processes auto;": "worker_processes 1;",
                   "/run/nginx.pid": f"{self.place}/nginx.pid",
                   "/var/log/nginx/": f"{self.place}/", "/var/cache/nginx/": f"{self.place}/cache/",
                   "/etc/nginx/": f"{self.place}/", "flush=1s": "flush=100ms",
                   "listen 80 ": f"listen 127.0.0.1:{self.port} "}
        if self.limited:
            changes["zone=purchases:32m rate=100r/s"] = "zone=purchases:32m rate=1r/s"
        else:
            changes["geo $unlimited {\n        default 0;"] = "geo $unlimited {\n        default 1;"
        if not self.insiders:
            changes["127.0.0.0/8 1;"] = "127.0.0.0/8 0;"
        if self.tls:
            certificate, key, port = self.tls
            changes = {"/etc/nginx/tls/fullchain.pem": str(certificate),
                       "/etc/nginx/tls/privkey.pem": str(key),
                       "listen 443 ": f"listen 127.0.0.1:{port} ", **changes}
        for old, new in changes.items():
            text = text.replace(old, new)
        return text

    def access_log(self):
        path = self.place / "access.log"
        return path.read_text(errors="replace") if path.exists() else ""
