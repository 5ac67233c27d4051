package trace

import "slices"

// windows are iterations of a long loop that stand for all of it: stretches of as many that follow each other, at even distances from its begin to its end. How many there will be is
// not known before. So each is kept at first, and whenever there are too many, every other one is dropped and the distance is doubled.
type windows struct {
	turns int      // of a window
	apart int      // of so many windows one is kept
	seen  int      // windows that have begun
	done  int      // iterations of the last one
	kept  [][]item // the last one may not be whole
	spare [][]item // room of those that were dropped
	items int      // of these
	most  int      // of items, from which on there are few windows
	limit int      // of items, from which on there are as few as can be; 0 is none
}

const (
	mostWindows = 64 // that are kept
	fewWindows  = 16 // the same of long ones
	leastWhole  = 4  // that stand for a loop
	leastWindow = 4  // iterations of one, as stages that are used in turn make several alike
	windowParts = 8  // a window has one of as many parts of the iterations that were kept before
)

// keep is told what an iteration has executed.
func (w *windows) keep(items []item) {
	if w.seen%w.apart == 0 {
		if w.done == 0 {
			w.kept = append(w.kept, w.room(len(items)))
		}
		last := &w.kept[len(w.kept)-1]
		*last = append(*last, items...)
		w.items += len(items)
	}
	if w.done++; w.done < w.turns {
		return
	}
	w.done = 0
	w.seen++
	if !w.full() {
		return
	}
	for i := range len(w.kept) / 2 {
		dropped := w.kept[2*i+1]
		w.items -= len(dropped)
		w.kept[i] = w.kept[2*i]
		clear(dropped)
		w.spare = append(w.spare, dropped[:0])
	}
	clear(w.kept[len(w.kept)/2:])
	w.kept = w.kept[:len(w.kept)/2]
	w.apart *= 2
}

// room is that for a window whose first iteration has so many items.
func (w *windows) room(items int) (empty []item) {
	n := len(w.spare)
	if n == 0 {
		return make([]item, 0, items*w.turns)
	}
	empty, w.spare = w.spare[n-1], w.spare[:n-1]
	return empty
}

// full reports whether every other window is to be dropped.
func (w *windows) full() bool {
	n := len(w.kept)
	switch {
	case n%2 != 0 || n < 2*leastWhole:
		return false
	case w.limit > 0 && w.items >= w.limit:
		return true
	}
	return n >= mostWindows || n >= fewWindows && w.items >= w.most
}

// cut ends the window that has begun, as iterations are left out.
func (w *windows) cut() {
	if w.done > 0 && w.seen%w.apart == 0 {
		w.items -= len(w.kept[len(w.kept)-1])
		w.kept = w.kept[:len(w.kept)-1]
	}
	w.done = 0
}

// whole are the windows that are whole; nil for too few.
func (w *windows) whole() [][]item {
	w.cut()
	if len(w.kept) < leastWhole {
		return nil
	}
	return slices.Clone(w.kept)
}
