#include "ledger/ledger_fixture.hpp"
