// A bot for every game of the referee: ZeroMQ and msgpack.
package main

import (
	"flag"
	"log"
	"math/rand"
	"os"
	"time"

	"github.com/pebbe/zmq4"
	"github.com/vmihailenco/msgpack/v5"
)

// Message is anything that is heard or said.
type Message map[string]any

// Your idea goes here: return one of the legal actions. For more to go by, see "wants" below.
func choose(ask Message) any {
	legal := ask["legal"].([]any)
	if flag.Arg(0) == "first" {
		return legal[0]
	}
	return legal[rand.Intn(len(legal))]
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	flag.Parse()
	if flag.Arg(0) == "echo" {
		echo()
		return
	}
	address := os.Getenv("REFEREE_ADDRESS")
	if address == "" {
		log.Print("REFEREE_ADDRESS is not set: the referee starts this bot, for example by `referee play`")
		os.Exit(2)
	}
	socket, err := zmq4.NewSocket(zmq4.DEALER)
	must(err)
	must(socket.SetImmediate(true)) // without a connection, sending waits for one
	must(socket.SetRcvtimeo(5 * time.Second))
	must(socket.Connect(address))
	send := func(message Message) {
		data, err := msgpack.Marshal(message)
		must(err)
		_, err = socket.SendBytes(data, 0)
		must(err)
	}
	hello := Message{"type": "hello", "protocol": []int{1}, "name": "go", "wants": []string{"legal"}, "capacity": 64}
	if token := os.Getenv("REFEREE_TOKEN"); token != "" {
		hello["token"] = token
	}
	send(hello)
	for {
		frame, err := socket.RecvBytes(0)
		if err != nil {
			send(Message{"type": "ping"}) // a silence: if the referee has forgotten us, it will say so
			continue
		}
		var heard Message
		must(msgpack.Unmarshal(frame, &heard))
		switch heard["type"] {
		case "welcome":
			hello["session"] = heard["session"] // with it the bot can come back to its matches
		case "start":
			send(Message{"type": "ready", "match": heard["match"]})
		case "ask":
			send(Message{"type": "act", "match": heard["match"], "id": heard["id"], "action": choose(heard)})
		case "ping":
			heard["type"] = "pong" // with the same n, if there is one
			send(heard)
		case "error":
			log.Printf("%s: %s", heard["code"], heard["why"])
			if heard["code"] == "no-session" { // the connection was lost
				send(hello)
			}
		case "refuse":
			log.Printf("refused: %s: %s", heard["code"], heard["why"])
			os.Exit(2)
		case "bye":
			return
		}
	}
}
