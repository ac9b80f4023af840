//! A bot for every game of the referee: ZeroMQ and msgpack.
use serde::{Deserialize, Serialize};
use std::{env, error::Error, io, process};

/// Without a word from the referee for so long, the bot asks whether it is still there.
const SILENCE_MS: i32 = 5_000;

/// What this bot hears; other messages and fields are ignored.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Heard {
    Welcome { session: String },
    Refuse { code: String, why: String },
    Start { r#match: String },
    Ask { r#match: String, id: u64, legal: Vec<String> },
    Ping { n: Option<u64> },
    Error { code: String, why: String },
    Bye,
}

/// What this bot says.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Said<'a> {
    Hello(&'a Hello),
    Ready { r#match: String },
    Act { r#match: String, id: u64, action: &'a str },
    Ping,
    Pong { n: u64 },
}

#[derive(Serialize)]
struct Hello {
    protocol: [u8; 1],
    name: &'static str,
    wants: [&'static str; 1],
    capacity: u8,
    token: Option<String>,
    session: Option<String>,
}

/// Your idea goes here: return one of the legal actions. For more to go by, see `wants` below.
fn choose<'a>(mode: &str, legal: &'a [String]) -> &'a str {
    &legal[if mode == "first" { 0 } else { fastrand::usize(..legal.len()) }]
}

fn play(address: &str, mode: &str) -> Result<(), Box<dyn Error>> {
    let socket = zmq::Context::new().socket(zmq::DEALER)?;
    socket.set_linger(0)?;
    socket.set_immediate(true)?; // without a connection, sending waits for one
    socket.set_rcvtimeo(SILENCE_MS)?;
    socket.connect(address)?;
    let send = |message: Said| socket.send(rmp_serde::to_vec_named(&message).expect("plain values"), 0);
    let token = setting("REFEREE_TOKEN");
    let mut hello = Hello { protocol: [1], name: "rust", wants: ["legal"], capacity: 64, token, session: None };
    send(Said::Hello(&hello))?;
    loop {
        let Ok(frame) = socket.recv_bytes(0) else {
            send(Said::Ping)?;
            continue;
        };
        let Ok(heard) = rmp_serde::from_slice(&frame) else {
            continue; // a message that this bot does without
        };
        match heard {
            Heard::Welcome { session } => hello.session = Some(session), // the way back to its matches
            Heard::Start { r#match } => send(Said::Ready { r#match })?,
            Heard::Ask { r#match, id, legal } => send(Said::Act { r#match, id, action: choose(mode, &legal) })?,
            Heard::Ping { n } => send(Said::Pong { n: n.unwrap_or(0) })?,
            Heard::Error { code, why } => {
                eprintln!("{code}: {why}");
                if code == "no-session" {
                    send(Said::Hello(&hello))?; // the connection was lost
                }
            }
            Heard::Refuse { code, why } => {
                eprintln!("refused: {code}: {why}");
                process::exit(2);
            }
            Heard::Bye => return Ok(()),
        }
    }
}

fn echo() -> Result<(), Box<dyn Error>> {
    for line in io::stdin().lines() {
        let message: rmpv::Value = rmp_serde::from_slice(&hex::decode(line?)?)?;
        println!("{}", hex::encode(rmp_serde::to_vec(&message)?));
    }
    Ok(())
}

/// A variable of the environment; empty is as good as not set.
fn setting(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mode = env::args().nth(1).unwrap_or_default();
    if mode == "echo" {
        return echo();
    }
    let Some(address) = setting("REFEREE_ADDRESS") else {
        eprintln!("REFEREE_ADDRESS is not set: the referee starts this bot, for example by `referee play`");
        process::exit(2);
    };
    play(&address, &mode)
}
