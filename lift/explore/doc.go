// Package explore searches for fast variants of a program of package lift: it selects points, runs them and records the results.
//
// A Space holds the design points of a program at given sizes: variants from package derive, each with several ND-ranges. Points
// are lowered and described by static features on request (point.go, describe.go). A Search runs points on a device, in the order
// (order.go) of a ranker, which learns from other programs and from the runs so far, or of a baseline: random, or
// Monte-Carlo descent. A Graph is a space for the searches of package tune, with these orders as strategies (graph.go). Every element of every result is compared on the device with that of a reference variant (reference.go),
// which itself is verified against the semantics of the language at a small size. Wrong results, crashes, rejections and timeouts are
// statuses in the journal.
//
// After Steuwer et al., "Generating Performance Portable Code using Rewrite Rules", section 6, and "Automatic performance
// prediction from a functional IR", sections 6 to 8.
package explore
