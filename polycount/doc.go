// Package polycount counts the integer points of parametric sets exactly, as piecewise quasi-polynomials.
//
// A Set is a union of conjunctions of quasi-affine constraints (Affine, Constraint), read and printed in isl's
// notation. A Map is a relation between two tuples; UnionSet and UnionMap are unions over tuples of different names.
// Count turns a set into a Poly: a polynomial in parameters and floors for each of several disjoint conditions on the
// parameters. A Poly compiles to an Evaluator. Nothing is approximated: what cannot be done is an error.
//
// The algorithms are in internal packages: linear decides, projects and subtracts conjunctions, quasi computes with
// quasi-polynomials, count counts points. Quantifiers are eliminated exactly when a set is read or projected, if that
// takes little work. Otherwise the set keeps them, and is counted and decided as it is.
//
// docs/rationale.md has a table of what each method of counting and each way of shortening buys, as measured on
// testdata/problems.txt and testdata/cases.json.
package polycount
