// Package linear decides and projects conjunctions of linear constraints over the integers.
//
// A Conj has rows over a constant, variables and floors of those; a System has plain columns. Work meters every operation
// that may take long, and its methods are the algorithms: Solvable (presolve.go, then the Omega test in omega.go), Project
// (project.go), Subtract and Intersect (algebra.go), Gist and Irredundant (redundant.go), Enumerate.
package linear
