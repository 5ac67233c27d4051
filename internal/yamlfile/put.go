package yamlfile

// Put is a scalar at the place of the node, for what a program writes in place of a person.
func (n *Node) Put(text string) *Node { return &Node{Kind: Scalar, Text: text, Pos: n.Pos, doc: n.doc} }

// PutList is a list of nodes at the place of the node.
func (n *Node) PutList(items ...*Node) *Node {
	return &Node{Kind: List, Items: items, Pos: n.Pos, doc: n.doc}
}

// PutMap is a map at the place of the node.
func (n *Node) PutMap(entries ...Entry) *Node {
	return &Node{Kind: Map, Entries: entries, Pos: n.Pos, doc: n.doc}
}
