//! For the tests of the referee: reads messages in hexadecimal, a line each, and writes them again.
use serde_json::Value;
use std::{error::Error, io};

pub fn echo() -> Result<(), Box<dyn Error>> {
    for line in io::stdin().lines() {
        let message: Value = rmp_serde::from_slice(&hex::decode(line?)?)?;
        println!("{}", hex::encode(rmp_serde::to_vec(&message)?));
    }
    Ok(())
}
