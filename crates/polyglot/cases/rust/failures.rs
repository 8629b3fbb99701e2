use std::io;
struct Error;
type Result<T> = std::result::Result<T, Error>;
fn own() -> Result<u8> { Ok(1) }
fn both() -> std::result::Result<u8, Box<dyn std::error::Error>> { own()?; Ok(2) }
fn io_one() -> io::Result<()> { Ok(()) }
fn plain() -> std::fmt::Result { Ok(()) }
fn none() -> Option<u8> { None }
async fn later() -> Result<Error> { let e = later().await?; Err(e) }
