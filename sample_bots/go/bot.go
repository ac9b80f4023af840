// A bot for every game of the referee: ZeroMQ and msgpack.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"log"
	"math/rand"
	"os"
	"time"

	"github.com/pebbe/zmq4"
	"github.com/vmihailenco/msgpack/v5"
)

// Without a word from the referee for so long, the bot asks whether it is still there.
const silence = 5 * time.Second

// Heard is what this bot reads of any message; the rest is ignored.
type Heard struct {
	Type    string   `msgpack:"type"`
	Session string   `msgpack:"session"`
	Match   string   `msgpack:"match"`
	ID      int      `msgpack:"id"`
	Legal   []string `msgpack:"legal"`
	N       int      `msgpack:"n"`
	Code    string   `msgpack:"code"`
	Why     string   `msgpack:"why"`
}

// Said is a message from this bot.
type Said map[string]any

// Your idea goes here: return one of the legal actions. For more to go by, see "wants" below.
func choose(mode string, legal []string) string {
	if mode == "first" {
		return legal[0]
	}
	return legal[rand.Intn(len(legal))]
}

func play(address, mode string) {
	socket, err := zmq4.NewSocket(zmq4.DEALER)
	must(err)
	must(socket.SetLinger(0))
	must(socket.SetImmediate(true)) // without a connection, sending waits for one
	must(socket.SetRcvtimeo(silence))
	must(socket.Connect(address))
	send := func(message Said) {
		data, err := msgpack.Marshal(message)
		must(err)
		_, err = socket.SendBytes(data, 0)
		must(err)
	}
	hello := Said{"type": "hello", "protocol": []int{1}, "name": "go", "wants": []string{"legal"}, "capacity": 64}
	if token := os.Getenv("REFEREE_TOKEN"); token != "" {
		hello["token"] = token
	}
	send(hello)
	for {
		frame, err := socket.RecvBytes(0)
		if err != nil {
			send(Said{"type": "ping"})
			continue
		}
		var heard Heard
		if msgpack.Unmarshal(frame, &heard) != nil {
			continue // a message of another time
		}
		switch heard.Type {
		case "welcome":
			hello["session"] = heard.Session // with it the bot can come back to its matches
		case "start":
			send(Said{"type": "ready", "match": heard.Match})
		case "ask":
			send(Said{"type": "act", "match": heard.Match, "id": heard.ID, "action": choose(mode, heard.Legal)})
		case "ping":
			send(Said{"type": "pong", "n": heard.N})
		case "error":
			log.Printf("%s: %s", heard.Code, heard.Why)
			if heard.Code == "no-session" { // the connection was lost
				send(hello)
			}
		case "refuse":
			log.Printf("refused: %s: %s", heard.Code, heard.Why)
			os.Exit(2)
		case "bye":
			return
		}
	}
}

func echo() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		data, err := hex.DecodeString(lines.Text())
		must(err)
		var message any
		must(msgpack.Unmarshal(data, &message))
		again, err := msgpack.Marshal(message)
		must(err)
		fmt.Println(hex.EncodeToString(again))
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	mode, address := "random", os.Getenv("REFEREE_ADDRESS")
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	if mode == "echo" {
		echo()
	} else if address == "" {
		log.Print("REFEREE_ADDRESS is not set: the referee starts this bot, for example by `referee play`")
		os.Exit(2)
	} else {
		play(address, mode)
	}
}
