// Package explore searches for fast variants of a program of package lift: it decides what to run next and records the results.
//
// A Space holds the design points of a program at given sizes: variants that package derive gives, each with several
// ND-ranges. Points are lowered and described by static features when that is asked for (point.go, describe.go). A Search
// runs points on a device, in an order (order.go): as a ranker says, which learns from other programs and from what this one
// has shown, or as one of the baselines, at random and by Monte-Carlo descent. The results of every run are compared, on the
// device and in every element, with those of a reference variant (reference.go), which itself is held against the semantics
// of the language at a small size. What was wrong, crashed, was refused or took too long is a status in the journal.
//
// After Steuwer et al., "Generating Performance Portable Code using Rewrite Rules", section 6, and "Automatic performance
// prediction from a functional IR", sections 6 to 8.
package explore
