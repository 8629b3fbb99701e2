#[cfg(unix)]
fn open() {}
#[cfg(not(unix))]
fn open() {}
fn call() { open(); }
struct A<T>(T);
impl A<u8> { fn get(&self) {} }
impl A<u16> { fn get(&self) {} }
fn use_a(a: A<u8>) { a.get(); }
trait Get { fn go(&self); }
struct B;
impl B { fn go(&self) {} }
impl Get for B { fn go(&self) { self.go() } }
