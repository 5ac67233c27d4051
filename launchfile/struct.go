package launchfile

import (
	"cmp"
	"slices"

	"gpuperf/device"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
)

// maxStruct bounds the bytes of a structure. Kernels take less than 32 KB of parameters.
const maxStruct = 1 << 16

// structure lays a structure out as C does.
func (f *File) structure(a arg, at map[string]int64) device.Arg {
	fields, end := f.layout(a.parts, at)
	align := a.align()
	return device.Arg{Name: "structure", Kind: device.Struct, Count: (end + align - 1) / align * align, Fields: fields}
}

// packed lays all arguments of a launch out as parameters lie in memory: as the members of a structure, without bytes after the last.
func (f *File) packed(args []arg, at map[string]int64) device.Arg {
	fields, end := f.layout(args, at)
	return device.Arg{Name: "arguments", Kind: device.Struct, Count: end, Fields: fields}
}

// align is what the offset of a part is a multiple of, unless it says otherwise.
func (a arg) align() int64 {
	switch a.kind {
	case device.Buffer:
		return device.PointerSize
	case device.Scalar:
		return device.DTypeSize(a.dtype)
	}
	align := int64(1)
	for _, p := range a.parts {
		align = max(align, p.align())
	}
	return align
}

// span is a part of a structure in memory.
type span struct {
	first, end int64
	node       *yamlfile.Node
}

// layout places parts one after the other, or where they say. Structures among them become their own parts.
func (f *File) layout(parts []arg, at map[string]int64) (fields []device.Field, end int64) {
	var spans []span
	next := int64(0) // the first byte after the part before
	for _, p := range parts {
		one := throw.Get(f.arg(p, at))
		align := p.align()
		first := (next + align - 1) / align * align
		if p.offset != nil {
			first = throw.Get(p.offset.atLeast(0, at))
		}
		inner, size := []device.Field{{Arg: one}}, one.Size()
		if one.Kind == device.Struct {
			inner, size = one.Fields, one.Count
		}
		for _, field := range inner {
			fields = append(fields, device.Field{Offset: first + field.Offset, Arg: field.Arg})
		}
		if first > maxStruct-size {
			panic(throw.Of(p.node.Errorf("the structure has more than %d bytes", maxStruct)))
		}
		next = first + size
		end = max(end, next)
		spans = append(spans, span{first, next, p.node})
	}
	checkDisjoint(spans)
	return fields, end
}

// checkDisjoint refuses parts that share bytes.
func checkDisjoint(spans []span) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(spans); i++ {
		if before, s := spans[i-1], spans[i]; s.first < before.end {
			panic(throw.Of(s.node.Errorf("it begins at byte %d, and what stands before it ends after byte %d", s.first, before.end-1)))
		}
	}
}
