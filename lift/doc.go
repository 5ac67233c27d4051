// Package lift is a small functional language of array patterns: its types with symbolic sizes, its terms, their text
// form and their meaning.
//
// A Term is an immutable, hash-consed node that carries its type: two terms that differ in the names of their variables
// alone are the same pointer, and an ill-typed term does not exist (a constructor returns a term whose Err is not nil
// instead, and every constructor that is given one passes it on). Patterns stand in applied form, Map(f, xs), and their
// functions are user functions or lambdas. Every pattern is a row of one table, which says how it is written, what its
// function is given, and what type results; the passes over terms are tables over the same operators.
//
// Typing collects what must hold of the sizes (Assumptions); evaluation and the rewrite rules check it.
//
// The language is that of Steuwer et al., "Generating Performance Portable Code using Rewrite Rules", sections 3 and 5,
// with the patterns that stencils need.
package lift
