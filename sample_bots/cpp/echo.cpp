// For the tests of the referee: reads messages in hexadecimal, a line each, and writes them again.
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using Message = nlohmann::ordered_json;

int echo() {
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<std::uint8_t> bytes;
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) bytes.push_back(std::stoi(line.substr(i, 2), nullptr, 16));
        for (int byte : Message::to_msgpack(Message::from_msgpack(bytes)))
            std::cout << std::hex << std::setw(2) << std::setfill('0') << byte;
        std::cout << "\n";
    }
    return 0;
}
