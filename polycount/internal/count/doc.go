// Package count counts the integer points of conjunctions by the values of their first variables, the parameters.
//
// Members counts a union without existentials: each conjunction by nested sums (sum.go), or by parametric vertices and
// signed cones (vertices.go, cones.go). ByInclusion counts one of few members by inclusion and exclusion, with existentials by fibres (fibres.go). Optima uses the same test
// sets (testset.go) for the lexicographic minimum.
package count
