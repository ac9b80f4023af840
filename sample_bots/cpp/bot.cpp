// A bot for every game of the referee, over ZeroMQ with msgpack. README.md says how to build and run it.
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include <zmq.hpp>

using Message = nlohmann::ordered_json;  // as it was written: its fields keep their order
using Bytes = std::vector<std::uint8_t>;

static std::string mode = "random", session;

// Your idea goes here: return one of the legal actions. This one makes its luck from the match and the id of the ask,
// so that an ask that comes again, after a lost connection, gets the same answer.
static std::string choose(const Message &ask) {
    const auto &legal = ask["legal"];
    if (mode == "first") return legal[0];
    auto luck = std::hash<std::string>{}(ask["match"].get<std::string>() + ask["id"].dump() + std::to_string(getpid()));
    return legal[luck % legal.size()];
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
    if (type == "error" && heard["code"] == "no-session") return hello();
    if (type == "refuse" || type == "bye") std::exit(type == "refuse" ? 2 : 0);
    return nullptr;
}

// For tests: reads messages in hexadecimal, a line each, and writes them again.
static int echo() {
    for (std::string line; std::getline(std::cin, line);) {
        Bytes bytes;
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) bytes.push_back(std::stoi(line.substr(i, 2), nullptr, 16));
        for (int byte : Message::to_msgpack(Message::from_msgpack(bytes)))
            std::cout << std::hex << std::setw(2) << std::setfill('0') << byte;
        std::cout << "\n";
    }
    return 0;
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
