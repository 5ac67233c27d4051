package schedule

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/internal/bounded"
	"gpuperf/scop"
)

// Object is what perf scop schedule --json prints for a nest.
type Object struct {
	Scop string `json:"scop"`
	// Original says why the order is that of the text, where none is found.
	Original string `json:"original,omitempty"`
	// Copies say which arrays have copies for iterations of loops.
	Copies []string `json:"copies,omitempty"`
	// Cuts say which statements are split, and where.
	Cuts []string `json:"cuts,omitempty"`
	// Blocks say which steps of the host are in blocks, and of how many.
	Blocks []string    `json:"blocks,omitempty"`
	Tree   *NodeObject `json:"tree"`
}

// NodeObject is a sequence, a launch, a band with its body, or a statement.
type NodeObject struct {
	Sequence []*NodeObject `json:"sequence,omitempty"`
	Launch   *NodeObject   `json:"launch,omitempty"`
	// Group: the launch has one work-group.
	Group bool `json:"group,omitempty"`
	// Each: it has work-groups for iterations of the outermost band.
	Each bool `json:"each,omitempty"`
	// Tiled: the launch is one of several, of a wavefront of tiles of these loops; each work-group makes a tile.
	Tiled     []LoopObject `json:"tiled,omitempty"`
	Band      []LoopObject `json:"band,omitempty"`
	Body      *NodeObject  `json:"body,omitempty"`
	Statement string       `json:"statement,omitempty"`
}

// LoopObject is a loop of a band: what it counts, for each statement in the order of the tree.
type LoopObject struct {
	Counts   []CountObject `json:"counts"`
	Parallel bool          `json:"parallel"`
	// Reduction: the loop would be parallel but for associative accumulations.
	Reduction bool `json:"reduction,omitempty"`
}

// CountObject is what a loop counts, over the iterators of a statement.
type CountObject struct {
	Statement string `json:"statement"`
	Value     string `json:"value"`
}

func objectOf(n Node) *NodeObject {
	out := &NodeObject{}
	switch x := n.(type) {
	case *Sequence:
		for _, p := range x.Parts {
			out.Sequence = append(out.Sequence, objectOf(p))
		}
	case *Band:
		out.Band, out.Body = loopObjects(x.Loops, x.statements()), objectOf(x.Body)
	case *Launch:
		out.Each = x.Each
		out.Launch, out.Group, out.Tiled = objectOf(x.Body), x.Host != nil && x.Tiled == nil && !x.Each, loopObjects(x.Tiled, x.statements())
	case *Leaf:
		out.Statement = x.Statement.Name
	}
	return out
}

func loopObjects(loops []Loop, list []*scop.Statement) (out []LoopObject) {
	for _, l := range loops {
		o := LoopObject{Parallel: l.Parallel, Reduction: l.Reduction}
		for _, s := range list {
			o.Counts = append(o.Counts, CountObject{s.Name, l.Of[s].String()})
		}
		out = append(out, o)
	}
	return out
}

// Write prints trees: a line for each loop of a band, for each statement, and for each sequence.
func Write(w io.Writer, all []*Object) error {
	for i, o := range all {
		fmt.Fprintf(w, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), o.Scop)
		if o.Original != "" {
			fmt.Fprintf(w, "the order of the text: %s\n", o.Original)
		}
		for _, c := range slices.Concat(o.Copies, o.Cuts, o.Blocks) {
			fmt.Fprintln(w, c)
		}
		o.Tree.write(w, "")
	}
	return nil
}

func (n *NodeObject) write(w io.Writer, indent string) {
	switch {
	case n.Sequence != nil:
		fmt.Fprintf(w, "%ssequence\n", indent)
		for _, p := range n.Sequence {
			p.write(w, indent+"  ")
		}
	case n.Tiled != nil:
		fmt.Fprintf(w, "%slaunch for each wavefront of tiles, with a work-group for each tile\n", indent)
		writeLoops(w, n.Tiled, indent+"    ")
		n.Launch.write(w, indent+"  ")
	case n.Each:
		fmt.Fprintf(w, "%slaunch with work-groups for iterations\n", indent)
		n.Launch.write(w, indent+"  ")
	case n.Launch != nil:
		fmt.Fprintf(w, "%slaunch%s\n", indent, map[bool]string{true: " of one work-group"}[n.Group])
		n.Launch.write(w, indent+"  ")
	case n.Band != nil:
		fmt.Fprintf(w, "%sband\n", indent)
		writeLoops(w, n.Band, indent+"  ")
		n.Body.write(w, indent+"  ")
	default:
		fmt.Fprintf(w, "%s%s\n", indent, n.Statement)
	}
}

func writeLoops(w io.Writer, loops []LoopObject, indent string) {
	for _, l := range loops {
		var list []string
		for _, c := range l.Counts {
			list = append(list, c.Statement+": "+c.Value)
		}
		fmt.Fprintf(w, "%s%s%s\n", indent, strings.Join(list, ", "), l.mark())
	}
}

func (l LoopObject) mark() string {
	switch {
	case l.Parallel:
		return " (parallel)"
	case l.Reduction:
		return " (reduction)"
	}
	return ""
}

// Objects schedules nests, within limits, so that a stranger's file is safe to open.
func Objects(ctx context.Context, nests []*scop.Nest, find Strategy, opt Options) (all []*Object, err error) {
	all, err = scop.Each(ctx, nests, scop.Work, func(n *scop.Nest) (*Object, error) { return object(n, find, opt) })
	if bounded.Stopped(err) {
		err = fmt.Errorf("%s: the search for a schedule %w", nests[0].File, err)
	}
	return all, err
}

func object(n *scop.Nest, find Strategy, opt Options) (*Object, error) {
	f, err := Search(n, find, opt)
	if err != nil {
		return nil, err
	}
	if opt.Blocks {
		in, err := f.InBlocks(find, opt)
		if err != nil {
			return nil, err
		}
		f = cmp.Or(in, f)
	}
	o := &Object{Scop: n.Name, Tree: objectOf(f.Tree), Blocks: f.Blocks}
	for _, c := range f.Copies {
		o.Copies = append(o.Copies, c.String())
	}
	for _, c := range f.Cuts {
		o.Cuts = append(o.Cuts, c.String())
	}
	if f.Original != nil {
		o.Original = f.Original.Error()
	}
	return o, nil
}
