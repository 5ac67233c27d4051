package machine

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/samples"
)

// Key is a kind of work that both a kernel and its code show.
type Key struct {
	Space  string // of accesses, in bytes of a work-item; alone it is a class of instructions, Barriers or Integers
	Action string // of accesses
	Array  string // of accesses to global memory; "" where the code does not tell arrays apart
}

// Actions, as samples name them.
const (
	Load  = "load"
	Store = "store"
)

// Work that is no access: classes of instructions, as samples name them, and others.
const (
	Half     = "float16"
	Single   = "float32"
	Double   = "float64"
	Special  = "special"  // quotients, roots and functions
	Integers = "integers" // operations on integers: roughly, as addresses are among them
	Barriers = "barriers"
)

const global = "global"

func (k Key) String() string {
	switch {
	case k.Action == "":
		return k.Space
	case k.Array == "":
		return k.Action + "s in " + k.Space + " memory"
	}
	return k.Action + "s of " + k.Array
}

// rank orders keys by how hardly a compiler makes other work of such: barriers and stores first.
func (k Key) rank() int {
	switch {
	case k.Space == Barriers:
		return 0
	case k.Action == Store && k.Space == global:
		return 1
	case k.Action == Store:
		return 2
	case k.Action == Load && k.Space == global:
		return 3
	case k.Action == Load:
		return 4
	case k.rough():
		return 6
	}
	return 5
}

// rough reports whether compilers make more or fewer instructions of such work.
func (k Key) rough() bool { return k.Space == Special || k.Space == Integers }

// Work is how much sub-groups do, by kinds.
type Work map[Key]float64

// Plus is the work with n times another.
func (w Work) Plus(o Work, n float64) Work {
	out := maps.Clone(w)
	for key, x := range o {
		out[key] += n * x
	}
	return out
}

func (w Work) scaled(by float64) Work {
	out := Work{}
	for key, n := range w {
		out[key] = n * by
	}
	return out
}

// keys lists the kinds, those that tell most first.
func (w Work) keys() []Key {
	return slices.SortedFunc(maps.Keys(w), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Space, b.Space), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Array, b.Array))
	})
}

// joined are actions on global memory of which the code does not always tell the array.
type joined map[string]bool

func joinedIn(code *samples.Code) joined {
	j := joined{}
	for a := range code.Accesses {
		if a.Array == "" && spaceOf(a) == global {
			j[a.Action] = true
		}
	}
	return j
}

// spaceOf is the space of an access in the code. What may be in several is global.
func spaceOf(a samples.CodeAccess) string {
	if a.Space == "generic" {
		return global
	}
	return a.Space
}

func (j joined) key(k Key) Key {
	if k.Space != global || j[k.Action] {
		k.Array = ""
	}
	return k
}

// join puts kinds together that the code does not tell apart.
func (j joined) join(w Work) Work {
	out := Work{}
	for _, key := range w.keys() {
		out[j.key(key)] += w[key]
	}
	return out
}

func (j joined) of(p samples.CodePart) Work {
	w := Work{}
	for a, n := range p.Accesses {
		if a.Action == Load || a.Action == Store {
			w[j.key(Key{spaceOf(a), a.Action, a.Array})] += float64(n * a.Bytes)
		}
	}
	put := func(space string, n int) {
		if n > 0 {
			w[Key{Space: space}] = float64(n)
		}
	}
	for _, class := range []string{Half, Single, Double, Special} {
		put(class, p.Classes[class])
	}
	put(Integers, p.Classes["integer"]+p.Classes["logic"]-1) // one counts the iterations
	put(Barriers, p.Barriers)
	return w
}
