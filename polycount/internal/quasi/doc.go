// Package quasi holds quasi-polynomials: polynomials in variables and floors of these (Quasi), and functions that are one
// such polynomial on each of several domains (Piecewise), with their sums, products, comparisons and short forms (Simplify).
package quasi
