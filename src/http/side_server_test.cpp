#include "http/side_server.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <gmock/gmock.h>

#include <future>

#include "base/endpoint.hpp"

namespace floodgate::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using tcp = boost::asio::ip::tcp;

// A client that sends bytes as they are.
class side_client {
public:
    explicit side_client(const side_server& to) {
        const endpoint at = parse_endpoint(to.address(), 0);
        socket_.connect({boost::asio::ip::make_address(at.host), at.port});
    }
    void send(std::string_view bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
    // Everything until the server hangs up.
    std::string rest() {
        std::string all;
        boost::system::error_code end;
        boost::asio::read(socket_, boost::asio::dynamic_buffer(all), end);
        return all;
    }

private:
    boost::asio::io_context context_;
    tcp::socket socket_{context_};
};

class SideServerTest : public testing::Test {
protected:
    static side_options small() {
        return {.listen = "127.0.0.1:0", .clients = 3, .body_bytes_max = 100};
    }
    // Tells what it was asked.
    static side_response echo(const side_request& r) {
        return {.content_type = "text/plain",
                .body = r.verb + " " + std::string(r.path()) + " [" + std::string(r.query()) +
                        "] " + std::string(r.header("x-name")) + " " + r.body,
                .headers = {{"X-More", "yes"}}};
    }
    static std::string ask(const side_server& s, std::string_view bytes) {
        side_client c(s);
        c.send(bytes);
        return c.rest();
    }
};

TEST_F(SideServerTest, HandsARequestToItsHandler) {
    const side_server server(small(), echo);
    const std::string said = ask(server,
                                 "POST /a/b?c=%20d HTTP/1.1\r\nHost: x\r\nX-NAME: n\r\n"
                                 "Connection: close\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_THAT(said, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(said, HasSubstr("\r\nX-More: yes\r\n"));
    EXPECT_THAT(said, HasSubstr("\r\nContent-Type: text/plain\r\n"));
    EXPECT_THAT(said, EndsWith("\r\n\r\nPOST /a/b [c=%20d] n hi"));
}

TEST_F(SideServerTest, AnswersSeveralRequestsOnOneConnection) {
    const side_server server(small(), echo);
    const std::string said = ask(server,
                                 "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
                                 "GET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(said, HasSubstr("GET /1"));
    EXPECT_THAT(said, EndsWith("GET /2 []  "));
}

TEST_F(SideServerTest, AnAnswerWithoutContentHasNoBodyAndNoType) {
    const side_server server(small(),
                             [](const side_request&) { return side_response{.status = 204}; });
    const std::string said = ask(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(said, StartsWith("HTTP/1.1 204 No Content\r\n"));
    EXPECT_THAT(said, EndsWith("\r\n\r\n"));
    EXPECT_THAT(said, testing::Not(HasSubstr("Content-Type")));
}

TEST_F(SideServerTest, RefusesWhatIsTooLargeOrNotHttp) {
    const side_server server(small(), echo);
    EXPECT_THAT(ask(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n"),
                StartsWith("HTTP/1.1 413 "));
    const std::string head = "GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n";
    EXPECT_THAT(ask(server, head), StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(ask(server, "hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(SideServerTest, AHandlerThatThrowsIsAnInternalError) {
    const side_server server(small(), [](const side_request&) -> side_response {
        throw std::runtime_error("a secret");
    });
    const std::string said = ask(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(said, StartsWith("HTTP/1.1 500 "));
    EXPECT_THAT(said, testing::Not(HasSubstr("secret")));
}

TEST_F(SideServerTest, TurnsClientsAwayWhenThereAreTooMany) {
    const side_server server(small(), echo);
    std::vector<std::unique_ptr<side_client>> all;
    for (int i = 0; i < 3; ++i) {
        auto& c = all.emplace_back(std::make_unique<side_client>(server));
        c->send("GET / HTTP/1.1\r\n");  // and no more
    }
    EXPECT_THAT(ask(server, ""), StartsWith("HTTP/1.1 503 "));
}

TEST_F(SideServerTest, ASilentClientIsLetGo) {
    side_options o = small();
    o.patience = milliseconds(50);
    const side_server server(o, echo);
    EXPECT_EQ(ask(server, "GET / HTTP/1.1\r\n"), "");
}

TEST_F(SideServerTest, EndsWithClientsConnectedAndHandlersAtWork) {
    std::promise<void> begun, may_end;
    std::unique_ptr<side_client> waiting, silent;
    std::future<void> releasing;
    {
        const side_server server(small(), [&](const side_request&) {
            begun.set_value();
            may_end.get_future().wait();
            return side_response{};
        });
        waiting = std::make_unique<side_client>(server);
        silent = std::make_unique<side_client>(server);
        waiting->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        begun.get_future().wait();
        may_end.set_value();
    }
    EXPECT_EQ(silent->rest(), "");
}

TEST_F(SideServerTest, SaysWhyItCannotListen) {
    const side_server first(small(), echo);
    side_options same = small();
    same.listen = first.address();
    EXPECT_THROW(side_server(same, echo), std::runtime_error);
    same.listen = "nowhere";
    EXPECT_THROW(side_server(same, echo), std::runtime_error);
}

}  // namespace
}  // namespace floodgate::http
