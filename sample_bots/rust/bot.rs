//! A bot for every game of the referee: ZeroMQ and msgpack.
use serde_json::{Value, json};
use std::{env, error::Error, process};

mod echo;

/// Without a word from the referee for so long, the bot asks whether it is still there.
const SILENCE_MS: i32 = 5_000;

/// Your idea goes here: return one of the legal actions. For more to go by, see `wants` below.
fn choose<'a>(mode: &str, ask: &'a Value) -> &'a Value {
    let legal = ask["legal"].as_array().expect("the legal actions, as wanted");
    &legal[if mode == "first" { 0 } else { fastrand::usize(..legal.len()) }]
}

fn play(address: &str, mode: &str) -> Result<(), Box<dyn Error>> {
    let socket = zmq::Context::new().socket(zmq::DEALER)?;
    socket.set_linger(0)?;
    socket.set_immediate(true)?; // without a connection, sending waits for one
    socket.set_rcvtimeo(SILENCE_MS)?;
    socket.connect(address)?;
    let send = |message: &Value| socket.send(rmp_serde::to_vec(message).expect("plain values"), 0);
    let mut hello = json!({"type": "hello", "protocol": [1], "name": "rust", "wants": ["legal"], "capacity": 64});
    if let Some(token) = setting("REFEREE_TOKEN") {
        hello["token"] = json!(token);
    }
    send(&hello)?;
    loop {
        let Ok(frame) = socket.recv_bytes(0) else {
            send(&json!({"type": "ping"}))?;
            continue;
        };
        let heard: Value = rmp_serde::from_slice(&frame)?;
        match heard["type"].as_str().unwrap_or_default() {
            "welcome" => hello["session"] = heard["session"].clone(), // the way back to its matches
            "start" => send(&json!({"type": "ready", "match": heard["match"]}))?,
            "ask" => {
                let action = choose(mode, &heard);
                send(&json!({"type": "act", "match": heard["match"], "id": heard["id"], "action": action}))?;
            }
            "ping" => send(&json!({"type": "pong", "n": heard["n"].as_u64().unwrap_or(0)}))?,
            "error" => {
                eprintln!("{}: {}", heard["code"], heard["why"]);
                if heard["code"] == "no-session" {
                    send(&hello)?; // the connection was lost
                }
            }
            "refuse" => {
                eprintln!("refused: {}: {}", heard["code"], heard["why"]);
                process::exit(2);
            }
            "bye" => return Ok(()),
            _ => {} // a message that this bot does without
        }
    }
}

/// A variable of the environment; empty is as good as not set.
fn setting(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mode = env::args().nth(1).unwrap_or_default();
    if mode == "echo" {
        return echo::echo();
    }
    let Some(address) = setting("REFEREE_ADDRESS") else {
        eprintln!("REFEREE_ADDRESS is not set: the referee starts this bot, for example by `referee play`");
        process::exit(2);
    };
    play(&address, &mode)
}
