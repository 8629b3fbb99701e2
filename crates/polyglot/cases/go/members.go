package p

import "sync"

type node struct {
	next  *node
	items []item
	byKey map[key]*item
	make  func() item
	mu    sync.Mutex
	base
}

type base struct{ owner *node }

func (b *base) inherited() *node { return b.owner }

type item struct{}
type key string

func (item) use()     {}
func (k key) hash()   {}
func (n *node) self() { n.self(); n.next.self() }

type visitor interface {
	enter(n *node) *node
	leave()
}

func (n *node) walk(v visitor) {
	n.items[0].use()
	n.byKey["a"].use()
	n.make().use()
	n.inherited().self()
	n.base.inherited()
	n.owner.self()
	v.enter(n).self()
	n.mu.Lock()
	for i, it := range n.items {
		it.use()
		_ = i
	}
	for k, it := range n.byKey {
		k.hash()
		it.use()
	}
	f := n.self
	f()
	g := (*node).self
	g(n)
	item.use(item{})
	n.missing()
}
