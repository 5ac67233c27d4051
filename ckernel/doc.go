// Package ckernel reads kernel functions of OpenCL C and CUDA C as kernels of the IR.
//
// Load reads a file with package cfront and follows the body of a function once, statement by statement (build.go). Work-items are
// points: the axes of the launch (axis.go) and the iterations of loops (loop.go) are the names over which sets (where.go) say where a
// statement runs. An integer variable has a number, a polynomial in these names and in sizes (number.go, read.go), as long as it does not depend on
// memory, and a pointer has an address (address.go); conditions on numbers are sets (condition.go). All other variables are private
// temporaries, and what is assigned to them and stored in memory are the statements of the kernel (value.go, vector.go, call.go,
// atomic.go). Functions of the file are followed where they are called (inline.go). Which variables can be followed shows on the way: the
// function is read again with what was learnt (symbol.go).
//
// Counts are those of the text as it stands: what is assigned, stored and passed is work, with the arithmetic of integers that such values use;
// subscripts, heads of loops and conditions on sizes and work-items are not. Loops whose iterations depend on data take the average
// that the user declares (trips.go). Barriers are those of the text.
//
// What is read is a flow, which is checked and completed by passes in the order of a table (flow.go): flat subscripts become those of as many
// dimensions as are certain (dimensions.go), and sets become the domains of inames and predicates (finish.go).
//
// What the IR cannot hold is a *source.Error at its place.
package ckernel
