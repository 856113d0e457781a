"""floodgate import: files into the ledger, on a stopped server and beside a running one."""
import json
import time
import unittest

from harness import API, check, floodgate, place_of
from recording import SharedServer, iso


class ImportTest(SharedServer):

    def bring(self, what, name, text, *options, code=0):
        file = self.place / name
        file.write_text(text, encoding="utf-8")
        done = floodgate("import", what, "--file", file, *place_of(self.place / "data"), *options)
        self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
        self.client.close()  # the server may have closed it: a large import takes longer than a client may be silent
        type(self).client = self.connect()
        return done

    def test_products_and_sales_come_from_csv_beside_a_running_server(self):
        products = ("\ufeffexternal_id,title,list_price_fen,description,pictures,metadata\r\n"
                    'sku-1,"壶, ""rot""",19900,"one\ntwo",/a.jpg /b.jpg,"{""shelf"":7}"\r\n'
                    "sku-2,Pan,100,,,\r\n")
        dry = self.bring("products", "p.csv", products, "--dry-run")
        self.assertIn("nothing was written: 2 lines: 2 created", dry.stdout)
        self.assertIn("2 created", self.bring("products", "p.csv", products).stdout)
        self.assertIn("2 unchanged", self.bring("products", "p.csv", products).stdout)
        kettle = self.manage("GET", "/products?external_id=sku-1")["products"][0]
        self.assertEqual((kettle["title"], kettle["description"], kettle["pictures"], kettle["metadata"]),
                         ('壶, "rot"', "one\ntwo", ["/a.jpg", "/b.jpg"], {"shelf": 7}))
        sales = ("external_id,product,round_title,round_starts_at,round_ends_at,price_fen,stock\n"
                 f"s-1,sku-1,Ten,{iso(-60)},{iso(3600)},9900,1\n")
        self.assertIn("1 created", self.bring("sales", "s.csv", sales).stdout)
        draft = self.manage("GET", "/sales?external_id=s-1")["sales"][0]
        self.assertEqual(draft["state"], "draft")
        self.manage("POST", f"/sales/{draft['id']}/publish")
        self.assertEqual(self.client.buy(draft["id"], self.register()).status, 202)
        more = self.bring("sales", "s.csv", sales.replace(",1\n", ",5\n"), code=1)
        self.assertIn("s.csv:2: external_id: the sale is published or paused", more.stderr)

    def test_bad_lines_are_named_and_the_others_come_in(self):
        done = self.bring("products", "bad.ndjson", "\n".join(map(json.dumps, (
            {"external_id": "n-1", "title": "Cup", "list_price_fen": 1},
            {"external_id": "n-2", "title": "Cup", "list_price_fen": -1},
            {"external_id": "n-3", "title": "Lid", "list_price_fen": 1}))) + "\n{", code=1)
        self.assertIn("bad.ndjson:2: list_price_fen: ", done.stderr)
        self.assertIn("bad.ndjson:4: ", done.stderr)
        self.assertIn("4 lines: 2 created, 0 updated, 0 unchanged, 2 refused", done.stdout)
        self.assertIn('there is no column "colour"',
                      self.bring("products", "c.csv", "external_id,colour\n", code=1).stderr)
        self.assertIn(".csv, .ndjson", self.bring("products", "c.xls", "x", code=2).stderr)
        self.assertIn("a quote is never closed",
                      self.bring("products", "q.csv", 'external_id,title\na,"b\n', code=1).stderr)

    def test_a_hundred_thousand_products_come_in(self):
        text = "external_id,title,list_price_fen\n" + \
            "".join(f"big-{n},Thing {n},{n}\n" for n in range(100_000))
        began = time.monotonic()
        self.assertIn("100000 created", self.bring("products", "big.csv", text).stdout)
        print(f"100,000 products in {time.monotonic() - began:.1f} s", flush=True)
        self.assertEqual(len(self.manage("GET", "/products?q=thing&limit=500")["products"]), 500)


class StoppedTest(SharedServer):

    def test_a_stopped_server_finds_what_was_imported(self):
        self.server.stop()
        file = self.place / "p.ndjson"
        file.write_text('{"external_id":"a","title":"Cup","list_price_fen":1}\n')
        done = floodgate("import", "products", "--file", file, *place_of(self.place / "data"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(check(self.place / "data"), [])
        self.server.start()
        client = self.connect()
        self.addCleanup(client.close)
        listed = client.get(f"{API}/admin/products", self.admin).json["products"]
        self.assertEqual([p["external_id"] for p in listed], ["a"])


if __name__ == "__main__":
    unittest.main()
