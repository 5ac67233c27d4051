// Package count counts the integer points of conjunctions by the values of their first variables, the parameters.
//
// Members counts a union without existentials: by inclusion and exclusion where members have few intersections (open.go),
// otherwise by disjoint parts. A conjunction is counted by nested sums where these give one piece (sum.go), otherwise by
// parametric vertices and signed cones (vertices.go), or box by box if it has no parameter (boxes.go).
// ByInclusion also counts unions with existentials, by fibres (fibres.go). Optima uses the same test sets (testset.go) for
// the lexicographic minimum.
package count
