package interp

import (
	"iter"
	"maps"
	"slices"

	"gpuperf/kernel/expr"
)

// sparse is a buffer that holds only the pages that a run touches.
type sparse struct {
	n     int64
	fill  func(data []byte, first int64)
	pages map[int64]int64 // the place of a page's first element
	last  int64           // the page that was asked for last
	at    int64           // and its place
}

const page = 64 // elements

// NewSparse makes a buffer of n elements that takes memory only for those that are touched. They start from what fill writes,
// in the device's representation, for the elements from first on.
func NewSparse(t expr.DType, n int64, fill func(data []byte, first int64)) *Buffer {
	b := NewBuffer(t, 0)
	b.sparse = &sparse{n: n, fill: fill, pages: map[int64]int64{}, last: -1}
	return b
}

// place is where the buffer keeps an element.
func (b *Buffer) place(element int64) int64 {
	s := b.sparse
	if s == nil {
		return element
	}
	if p := element / page; p != s.last {
		at, known := s.pages[p]
		if !known {
			at = b.addPage(p)
		}
		s.last, s.at = p, at
	}
	return s.at + element%page
}

func (b *Buffer) addPage(p int64) int64 {
	s, first := b.sparse, len(b.defined)
	s.pages[p] = int64(first)
	data := make([]byte, min(page, s.n-p*page)*b.DType.Size())
	s.fill(data, p*page)
	b.defined = append(b.defined, make([]bool, page)...)
	if b.DType.IsFloat() {
		b.floats, b.errs = append(b.floats, make([]float64, page)...), append(b.errs, make([]float64, page)...)
	} else {
		b.ints = append(b.ints, make([]int64, page)...)
	}
	b.decode(first, data)
	return int64(first)
}

// held lists the elements that the buffer holds, in order, with their places.
func (b *Buffer) held() iter.Seq2[int64, int64] {
	return func(yield func(element, place int64) bool) {
		pages := map[int64]int64{}
		if b.sparse != nil {
			pages = b.sparse.pages
		} else {
			for first := int64(0); first < int64(len(b.defined)); first += page {
				pages[first/page] = first
			}
		}
		for _, p := range slices.Sorted(maps.Keys(pages)) {
			for i := range min(page, int64(b.Len())-p*page) {
				if !yield(p*page+i, pages[p]+i) {
					return
				}
			}
		}
	}
}
