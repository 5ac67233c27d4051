// Package lift is a small functional language of array patterns: its types with symbolic sizes, its terms, their text
// form and their meaning.
//
// A Term is an immutable, hash-consed node that carries its type: two terms that differ only in the names of their variables
// are the same pointer, and an ill-typed term does not exist (a constructor returns a term whose Err is not nil
// instead, and every constructor that is given one passes it on). Patterns are always applied, Map(f, xs), and their
// functions are user functions or lambdas. Every pattern is a row of one table with its syntax, the parameter types of its
// function, and the type of its result; the passes over terms are tables over the same operators.
//
// A program in text form declares its size symbols, its assumptions on them and its user functions, and ends with a fun
// whose parameters are the inputs:
//
//	program asum
//	size n
//	assume 4 | n, n >= 8
//	def square(x: float32): float32 = y*y      # an expression of the kernel IR
//	    where y = x + 1.0f
//	    c "float y = x + 1.0f; return y*y;"    # optional: the body in OpenCL C
//	    ops float32 add 1 mul 1                # optional: declared operation counts
//	fun(xs: [float32]n => reduce(+, 0) o join o map(map(square)) o split(4) $ xs)
//
// f o g composes, f $ x and f(x) apply; a pattern without its array is a function. Types are float32, [float32]n,
// [[float32]m](n + 2), <float32>4 (vectors) and (float32, int32) (tuples). The builtin functions are + - * / min max neg
// abs sqrt exp log and id, at any type that has them; let(y = x, body) computes x once, fun((a, b) => …) takes a tuple
// apart, vec(4, 0.0f) is a vector, nat(n) a size as an int32, and index("(i + 1) % n") an index function of the index i and
// the length n.
//
// Typing collects conditions on the sizes (Assumptions); evaluation and the rewrite rules check them.
//
// The language is that of Steuwer et al., "Generating Performance Portable Code using Rewrite Rules", sections 3 and 5,
// with the patterns that stencils need.
package lift
