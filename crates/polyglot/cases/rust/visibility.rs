fn a() {}
pub fn b() {}
pub(crate) fn c() {}
pub(super) fn d() {}
pub ( in crate :: x ) fn e() {}
pub(self) fn f() {}
pub trait T { fn required(); fn provided() {} }
trait P { fn provided() {} }
struct S;
impl T for S { fn required() {} }
impl S { pub fn g() {} fn h() {} }
