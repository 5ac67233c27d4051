// Package arith is exact arithmetic: int64 operations that throw an error where the result does not fit, and rationals of
// any size. The exported functions of polycount catch what is thrown, so that none leaves that package.
package arith
