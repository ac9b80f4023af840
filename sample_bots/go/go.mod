module referee-bot

go 1.21

require (
	github.com/pebbe/zmq4 v1.4.0
	github.com/vmihailenco/msgpack/v5 v5.4.1
)

require github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
