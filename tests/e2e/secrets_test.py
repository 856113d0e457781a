"""What was said to the server in confidence is in no log, and in no file of its data directory."""
import io
import unittest

import api_test
from recording import record


class SecretsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        if "PurchaseTest" not in record.walked:  # this file is run alone
            suite = unittest.defaultTestLoader.loadTestsFromModule(api_test)
            unittest.TextTestRunner(stream=io.StringIO()).run(suite)

    def test_no_token_password_or_phone_number_is_in_a_log(self):
        secrets = {s for s in record.secrets | record.phones if len(s) >= 8}
        self.assertGreater(len(secrets), 20)
        logs = "\n".join(record.logs)
        self.assertIn("guard.registered", logs)
        self.assertEqual([s for s in secrets if s in logs], [])

    def test_no_token_or_password_is_in_the_data_directory(self):
        self.assertGreater(record.files_searched, 5)
        self.assertEqual(record.leaks, [])


if __name__ == "__main__":
    unittest.main()
