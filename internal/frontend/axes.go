package frontend

import (
	"slices"
	"strings"

	"gpuperf/cfront"
)

// axes is how many axes of a launch a kernel function asks for, itself or by functions that it calls: 1 to 3.
func axes(file *cfront.File, fn *cfront.Function) int {
	w := &axisWalk{file: file, most: 1}
	w.function(fn)
	return w.most
}

// axisWalk goes through a function and those that it calls.
type axisWalk struct {
	file *cfront.File
	seen []*cfront.Function
	most int
}

func (w *axisWalk) function(fn *cfront.Function) {
	if fn == nil || fn.Body == nil || slices.Contains(w.seen, fn) {
		return
	}
	w.seen = append(w.seen, fn)
	for e := range cfront.Everywhere(fn.Body) {
		w.expression(e)
	}
}

// ids begin the names of what tells where a work-item is.
var ids = []string{"get_global_id", "get_local_id", "get_group_id", "get_global_size"}

func (w *axisWalk) expression(e cfront.Expr) {
	switch x := e.(type) {
	case *cfront.Call:
		if !slices.Contains(ids, x.Func) {
			w.function(w.file.Function(x.Func))
		} else if n, is := integer(x.Args); is && n < maxAxes {
			w.most = max(w.most, int(n)+1)
		}
	case *cfront.Member:
		if v, is := x.X.(*cfront.Ref); is && (v.Var.Name == "threadIdx" || v.Var.Name == "blockIdx") {
			w.most = max(w.most, strings.Index("xyz", x.Name)+1)
		}
	}
}

// integer is the only argument of a call, where that is a number.
func integer(args []cfront.Expr) (int64, bool) {
	if len(args) != 1 {
		return 0, false
	}
	if c, is := args[0].(*cfront.Cast); is {
		return integer([]cfront.Expr{c.X})
	}
	n, is := args[0].(*cfront.Int)
	if !is {
		return 0, false
	}
	return n.Value, true
}
