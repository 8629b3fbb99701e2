use std::collections::HashMap;
use std::sync::{Arc, Mutex};
#[derive(Clone)]
struct Node { children: Vec<Node>, parent: Option<Box<Node>>, index: HashMap<String, Node>, shared: Arc<Mutex<Node>> }
impl Node {
    fn visit(&self) -> Result<Node, String> { Ok(self.clone()) }
    fn size(&self) -> usize { 0 }
    fn find(&self) -> Option<&Node> { None }
}
enum Tree { Leaf(Node), Fork { left: Node, right: Box<Tree> } }
impl Tree { fn weight(&self) -> usize { match self { Tree::Leaf(n) => n.size(), Self::Fork { left, right } => left.size() + right.weight() } } }
fn walk(node: &Node, nodes: &[Node]) -> Result<(), String> {
    for child in node.children.iter() { child.size(); }
    for child in &node.children { child.visit()?.size(); }
    if let Some(parent) = &node.parent { parent.size(); }
    node.parent.as_ref().unwrap().size();
    node.index.get("a").unwrap().size();
    node.shared.lock().unwrap().size();
    nodes[0].size(); nodes[1..].len();
    let n = node.visit().unwrap(); n.size();
    let m = match node.find() { Some(m) => m, None => return Ok(()) }; m.size();
    node.children.iter().map(|c| c.size()).sum::<usize>();
    let Node { children, parent: Some(p), .. } = node else { return Ok(()); };
    p.size(); children[0].size(); children.first().map(|c| c.clone().size());
    let boxed = Box::new(node.clone()); boxed.size();
    let some = Some(n); some.unwrap().size();
    let v = vec![n.clone()]; v[0].size();
    Ok(())
}
