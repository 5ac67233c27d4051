package polycount

import (
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// ErrOverflow is wrapped by errors for constraints whose coefficients leave the 64-bit range.
// The values of counts have no such limit.
var ErrOverflow = arith.ErrOverflow

// ErrBudget is wrapped by the error of an operation that exceeded its work limit.
var ErrBudget = linear.ErrBudget

// DefaultLimit is the limit of work where WithLimit gives none: two or three seconds of one core.
const DefaultLimit = linear.DefaultLimit

// Rescue turns the panic by which operations of Affine report an overflow into an error. To be deferred, with the
// address of the function's error result, by code that computes with coefficients from outside:
//
//	defer polycount.Rescue(&err)
//
// The value of such a panic is an error that wraps ErrOverflow.
func Rescue(err *error) {
	switch r := recover().(type) {
	case nil:
	case arith.Fault:
		*err = r.Err
	default:
		panic(r)
	}
}
