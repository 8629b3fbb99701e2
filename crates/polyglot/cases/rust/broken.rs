fn good() -> u8 { 1 }
fn bad( { 
struct Half { a: u8,
impl Good { fn method(&self) { good(); } }
fn after() { good() }
