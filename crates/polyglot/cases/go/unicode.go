package größe

// Größe misst.
type Größe struct{ höhe int }

func (g Größe) Höhe() int { return g.höhe + 世界() }

func 世界() int { return len("héllo, 世界") }
