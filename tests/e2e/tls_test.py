"""HTTPS with a certificate made for the occasion."""
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import warnings

from harness import API, Server, request_bytes
from raw import GET_HEALTH, GET_TIME, PATIENCE, Raw
from recording import FAST


class TlsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        place = pathlib.Path(tempfile.mkdtemp(prefix="floodgate-tls-"))
        cls.addClassCleanup(shutil.rmtree, place, ignore_errors=True)
        cls.certificate, key = place / "certificate.pem", place / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                        cls.certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        cls.server = Server(place / "data", config=FAST + "[edge]\n"
                            f'tls_certificate_file = "{cls.certificate}"\n'
                            f'tls_key_file = "{key}"\nidle_ms = 1000\n')
        cls.addClassCleanup(cls.server.discard)
        cls.server.launch()
        deadline = time.monotonic() + 30
        while "https://" not in cls.server.said() and time.monotonic() < deadline:
            time.sleep(0.01)
        host, port = cls.server.said().split("https://")[1].split()[0].split("/")[0].split(":")
        cls.address = (host, int(port))

    def secure(self):
        context = ssl.create_default_context(cafile=self.certificate)
        return context.wrap_socket(socket.create_connection(self.address, PATIENCE),
                                   server_hostname="127.0.0.1")

    def ask(self, stream, request, count=1):
        raw = Raw.__new__(Raw)
        raw.socket = stream
        stream.sendall(request)
        return raw.answers(count)

    def test_https_keeps_the_connection_and_pipelines(self):
        with self.secure() as stream:
            for _ in range(5):
                self.assertEqual(self.ask(stream, GET_TIME)[0].status, 200)
            mixed = GET_TIME + request_bytes("GET", "/readyz") + \
                request_bytes("GET", f"{API}/openapi.json") + request_bytes("GET", f"{API}/me")
            self.assertEqual([a.status for a in self.ask(stream, mixed * 5, 20)],
                             [200, 200, 200, 401] * 5)

    def test_https_says_goodbye_properly(self):
        with self.secure() as stream:
            found = self.ask(stream, request_bytes("GET", "/healthz",
                                                   headers={"Connection": "close"}), None)
            self.assertEqual([a.status for a in found], [200])  # an abrupt end would have raised
        with self.secure() as stream:
            found = self.ask(stream, b"nonsense\r\n\r\n", None)
            self.assertEqual([a.status for a in found], [400])

    def test_old_tls_is_refused(self):
        context = ssl.create_default_context(cafile=self.certificate)
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(self.address, PATIENCE) as plain:
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                context.wrap_socket(plain, server_hostname="127.0.0.1")

    def test_plain_http_and_noise_on_the_tls_port_do_no_harm(self):
        for noise in (GET_TIME, b"\x16\x03\x01", b"\x16\x03\x01\xff\xff" + b"\0" * 5000,
                      b"\0" * 9000):
            with Raw(self.address, noise) as raw:
                raw.finish()
                try:
                    while raw.socket.recv(65536):
                        pass
                except ConnectionError:
                    pass
        with self.secure() as stream:
            self.assertEqual(self.ask(stream, GET_HEALTH)[0].status, 200)

    def test_a_handshake_that_never_ends_is_cut_off(self):
        with Raw(self.address) as raw:
            begin = time.monotonic()
            self.assertTrue(raw.closed_by_server())
            self.assertLess(time.monotonic() - begin, 20)


if __name__ == "__main__":
    unittest.main()
