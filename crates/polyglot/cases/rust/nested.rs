fn outer() {
    /// Inside.
    fn inner() { fn innermost() {} innermost() }
    inner();
    mod m { pub fn f() {} }
    m::f();
    macro_rules! local { () => { inner() } }
    local!();
    impl Outside { fn method(&self) { inner() } }
}
struct Outside;
static TABLE: fn() = { fn hidden() {} hidden };
