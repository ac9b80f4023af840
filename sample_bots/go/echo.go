package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/vmihailenco/msgpack/v5"
)

// echo is for the tests of the referee: it reads messages in hexadecimal, a line each, and writes them again.
func echo() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		data, err := hex.DecodeString(lines.Text())
		must(err)
		var message Message
		must(msgpack.Unmarshal(data, &message))
		again, err := msgpack.Marshal(message)
		must(err)
		fmt.Println(hex.EncodeToString(again))
	}
}
