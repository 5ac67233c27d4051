package emit

import (
	"fmt"
	"strings"

	"gpuperf/kernel"
)

// temporary is a variable in local or private memory.
type temporary struct {
	*kernel.Array
	sizes    string // "[16*16]", "" of a scalar
	elements int64
}

// temporaries declares local and private variables.
func (w *writer) temporaries(s *Source) string {
	var b strings.Builder
	local := w.inSpace(kernel.Local)
	for _, t := range local {
		s.LocalBytes += t.elements * t.DType.Size()
	}
	if w.static > 0 && s.LocalBytes > w.static {
		s.LocalBytes = 0
		w.dynamic(&b, s, local)
	} else {
		w.declare(&b, w.local, local)
	}
	w.declare(&b, "", w.inSpace(kernel.Private))
	return b.String()
}

func (w *writer) inSpace(space kernel.Space) (list []temporary) {
	for _, a := range w.k.Temps {
		if a.Space != space {
			continue
		}
		t := temporary{a, "", 1}
		if len(a.Shape) > 0 {
			var err error
			t.elements, err = elementsOf(a)
			w.check(err)
			t.sizes = fmt.Sprintf("[%d]", t.elements)
			if text, ok := product(a); ok {
				t.sizes = "[" + text + "]"
			}
		}
		list = append(list, t)
	}
	return list
}

func (w *writer) declare(b *strings.Builder, qualifier string, list []temporary) {
	for _, t := range list {
		alignment := ""
		if lanes := w.widest(t.Name); lanes > 1 {
			alignment = fmt.Sprintf(w.align, lanes*t.DType.Size())
		}
		fmt.Fprintf(b, "    %s%s %s%s%s;\n", qualifier, w.types[t.DType], w.name(t.Name), t.sizes, alignment)
	}
}

// dynamic places variables one after the other in the local memory that the launch adds.
func (w *writer) dynamic(b *strings.Builder, s *Source, list []temporary) {
	const align = 16 // bytes, of the widest access
	fmt.Fprintf(b, "    extern %suchar %s[]%s;\n", w.local, dynamicMemory, fmt.Sprintf(w.align, align))
	for _, t := range list {
		place := fmt.Sprintf("(%s *) (%s + %d)", w.types[t.DType], dynamicMemory, s.Dynamic)
		fmt.Fprintf(b, "    %s *const %s = %s; // %s\n", w.types[t.DType], w.name(t.Name), place, t.sizes)
		s.Dynamic += (t.elements*t.DType.Size() + align - 1) / align * align
	}
}

// dynamicMemory is the name of the local memory that the launch adds.
const dynamicMemory = "local_memory"
