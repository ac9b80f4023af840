// A bot for every game of the referee, over ZeroMQ with msgpack. README.md says how to build and run it.
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <zmq.hpp>

using Message = nlohmann::ordered_json;  // as it was written: its fields keep their order

int echo();  // in echo.cpp, for tests

static std::string mode = "random", session;
static std::mt19937 luck{std::random_device{}()};

// Your idea goes here: return one of the legal actions.
static std::string choose(const Message &ask) {
    const auto &legal = ask["legal"];
    return legal[mode == "first" ? 0 : luck() % legal.size()];
}

static Message hello() {
    // With nothing to remember, many matches at once are easy.
    Message said = {{"type", "hello"}, {"protocol", {1}}, {"name", "cpp"}, {"wants", {"legal"}}, {"capacity", 64}};
    if (const char *token = std::getenv("REFEREE_TOKEN"); token && *token) said["token"] = token;
    if (!session.empty()) said["session"] = session;
    return said;
}

// The answer to a message, or null if it needs none.
static Message answer(const Message &heard) {
    const std::string type = heard.value("type", "");
    if (type == "start") return {{"type", "ready"}, {"match", heard["match"]}};
    if (type == "ask")
        return {{"type", "act"}, {"match", heard["match"]}, {"id", heard["id"]}, {"action", choose(heard)}};
    if (type == "ping") return {{"type", "pong"}, {"n", heard.value("n", std::uint64_t{0})}};
    if (type == "welcome") session = heard["session"];
    if (type == "error" || type == "refuse") std::cerr << type << ": " << heard["code"] << ": " << heard["why"] << "\n";
    if (type == "error" && heard["code"] == "no-session") return hello();
    if (type == "refuse") std::exit(2);
    if (type == "bye") std::exit(0);
    return nullptr;
}

int main(int argc, char **argv) {
    if (argc > 1) mode = argv[1];
    if (mode == "echo") return echo();
    const char *address = std::getenv("REFEREE_ADDRESS");
    if (!address || !*address) {
        std::cerr << "cpp: no REFEREE_ADDRESS: the referee is to start this bot\n";
        return 2;
    }
    zmq::context_t context;
    zmq::socket_t wire(context, zmq::socket_type::dealer);
    wire.set(zmq::sockopt::linger, 0);
    wire.set(zmq::sockopt::rcvtimeo, 5000);
    wire.connect(address);
    for (Message said = hello();;) {
        if (!said.is_null()) wire.send(zmq::buffer(Message::to_msgpack(said)), zmq::send_flags::none);
        zmq::message_t frame;
        if (wire.recv(frame))
            said = answer(Message::from_msgpack(frame.data<std::uint8_t>(), frame.data<std::uint8_t>() + frame.size()));
        else
            said = Message::object({{"type", "ping"}});  // a silence: if the referee has forgotten us, it will say so
    }
}
