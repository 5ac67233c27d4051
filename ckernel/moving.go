package ckernel

import (
	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// A pointer whose offset in its array depends on data is moving: a temporary of its own has the offset, as others have integers from memory. That a
// pointer is one shows where it is used and not known: the function is read again then. The array that it points to is known all the same. In a loop
// it is the one from before the loop, which each iteration must leave it in.

// moves lets a pointer that is not known be moving, and the function be read again; it does nothing where that is so already.
func (b *bindings) moves(v *builderVar) {
	if !b.learnt.moving[v] && b.trial == 0 {
		b.learnt.moving[v] = true
		panic(again{})
	}
}

// isMoving reports whether an expression names a moving pointer.
func (b *builder) isMoving(e cfront.Expr) bool {
	v := b.variableOf(e)
	return v != nil && b.learnt.moving[v]
}

// move keeps the offset of a moving pointer in its temporary.
func (b *bindings) move(pos cfront.Pos, v *builderVar, to *address) {
	n := b.copies[v]
	if n == "" {
		n = b.scratch(v.Name+"_offset", expr.Int64)
		b.copies[v] = n
	}
	if here := name(n); !same(here, to.offset) {
		b.assignTemp(pos, n, b.free(b.express(to.offset)))
		b.env[v] = value{at: &address{array: to.array, offset: here}}
	}
}

// stays reports whether a moving pointer is in the same array from iteration to iteration.
func (b *bindings) stays(v *builderVar) bool {
	at := b.env[v].at
	return b.learnt.moving[v] && !b.learnt.turning[v] && at != nil && at.array != nil
}

// pointedTo are the arrays of the moving pointers that a loop assigns to.
func (b *bindings) pointedTo(x *loopText) map[*builderVar]*array {
	out := map[*builderVar]*array{}
	for v := range x.assigned {
		if b.stays(v) {
			out[v] = b.env[v].at.array
		}
	}
	return out
}

// sameArrays sees to it that pointers are in the arrays in which they were when the iteration began; what is known of others is forgotten when it begins.
func (b *bindings) sameArrays(arrays map[*builderVar]*array, env map[*builderVar]value) {
	for v, a := range arrays {
		if at := env[v].at; at != nil && at.array == a {
			continue
		}
		if b.trial > 0 {
			b.failAt(v.Pos, "give each of the arrays its own statement", "it is not known which array %s points to", v.Name)
		}
		b.learnt.turning[v] = true
		panic(again{})
	}
}
