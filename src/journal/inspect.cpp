#include "journal/journal.hpp"
#include "journal/survey.hpp"

namespace floodgate::journal {
namespace {

class promise_teller final : public survey_visitor {
public:
    explicit promise_teller(const std::function<void(sale::sequence, const sale::promise&)>& visit)
        : visit_(visit) {}
    void promise(sale::sequence number, const sale::promise& p) override {
        if (visit_) visit_(number, p);
    }

private:
    const std::function<void(sale::sequence, const sale::promise&)>& visit_;
};

}  // namespace

std::vector<std::string> inspect(
    store::file_system& files, const std::string& directory,
    const std::function<void(sale::sequence, const sale::promise&)>& visit,
    const std::optional<expectation>& of) {
    promise_teller teller(visit);
    survey found = survey_segments(files, directory, sync_first::no, teller);
    if (of)
        if (auto wrong = mismatch(found, directory, *of)) found.damage.push_back(std::move(*wrong));
    return std::move(found.damage);
}

}  // namespace floodgate::journal
