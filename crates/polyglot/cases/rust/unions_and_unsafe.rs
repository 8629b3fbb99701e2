union U { a: u32, b: f32 }
unsafe fn deref(p: *const u8, u: U) -> u8 { unsafe { u.a; *p } }
const fn zero() -> u32 { const { 0 } }
fn labels() { 'a: loop { break 'a; } 'b: { break 'b 1 } ; }
fn ranges(x: [u8; 3]) { &x[..]; &x[1..=2]; match 3 { 1..=2 => 0, ..=0 => 1, 5.. => 2, _ => 3 }; }
fn casts() { 1 as u8 as char; &raw const X; !true; -1; x?.y.await; }
