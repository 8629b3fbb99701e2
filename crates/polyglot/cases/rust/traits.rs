pub trait Named: Base {
    const LIMIT: usize = 3;
    type Key: Clone;
    #[must_use]
    fn name(&self) -> String;
    fn shout(&self) -> String { self.name(); self.base(); Self::LIMIT; self.upper() }
    fn upper(&self) -> String;
    fn me(self) -> Self where Self: Sized { self }
}
trait Base { fn base(&self) {} }
struct Dog;
impl Base for Dog {}
impl Named for Dog {
    const LIMIT: usize = 4;
    type Key = u8;
    fn name(&self) -> String { String::new() }
    fn upper(&self) -> String { self.name() }
}
fn generic<T: Named + Clone>(t: T, other: &dyn Base, some: impl Named) { t.shout(); other.base(); some.base(); }
fn bounded<T>(t: &T) where T: Named { t.clone().shout(); }
fn concrete(dog: Dog) { dog.shout(); dog.base(); dog.me().upper(); Dog::name(&dog); <Dog>::name(&dog); Named::shout(&dog); }
impl<T> Base for Vec<T> {}
