// Package polycount counts the integer points of parametric sets exactly, as piecewise quasi-polynomials.
//
// A Set is a union of conjunctions of quasi-affine constraints (Affine, Constraint), read and printed in isl's
// notation. Quantifiers are eliminated exactly when a set is read or projected, where that takes little work; what has
// several members then, or was not eliminated, keeps its quantified form beside them, and is counted in that: one point
// of each fibre, the least by a test set (fibres.go, testset.go). Questions about sets are decided by the Omega test. A
// Map is a relation between two tuples; UnionSet and UnionMap are unions over tuples of different names. Count turns
// a set into a Poly: disjoint conditions on the parameters, a polynomial in parameters and floors for each. A Poly
// compiles to an Evaluator. Nothing is approximated: what cannot be done is an error.
package polycount
