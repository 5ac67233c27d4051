// Package explore has the variants of a program of package lift as a space that is searched, and says which of them to run next.
//
// A Space holds the design points of a program at given sizes: variants from package derive, each with several ND-ranges. Points
// are lowered and described by static features on request (point.go, describe.go). A Graph is a space for package search, with two strategies of
// its own (graph.go, order.go): a ranker, which learns from other programs and from the runs so far, and Monte-Carlo descent. Package tune runs the
// points. Every element of every result is compared on the device with that of a reference variant (reference.go),
// which itself is verified against the semantics of the language at a small size.
//
// After Steuwer et al., "Generating Performance Portable Code using Rewrite Rules", section 6, and "Automatic performance
// prediction from a functional IR", sections 6 to 8.
package explore
