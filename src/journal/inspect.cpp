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
    const std::function<void(sale::sequence, const sale::promise&)>& visit) {
    promise_teller teller(visit);
    return survey_segments(files, directory, sync_first::no, teller).damage;
}

}  // namespace floodgate::journal
