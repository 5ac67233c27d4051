// Package arith is exact arithmetic: int64 operations that throw a Fault where the result does not fit, and rationals of
// any size. Throw and Rescue carry errors through recursive algorithms: the exported functions of polycount rescue every
// Fault, so that none leaves that package.
package arith
