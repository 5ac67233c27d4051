package capture

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/cname"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
)

// args writes the arguments.
func (f *file) args() {
	_, types := cname.Split(f.kernel.Plain)
	if len(types) != len(f.Params) {
		types = make([]string, len(f.Params))
	}
	f.names, f.named = make([]string, len(f.Memory)), make([]bool, len(f.Memory))
	if len(f.Params) > 0 {
		f.line("args:")
	}
	for i, p := range f.Params {
		p.Type = cmp.Or(p.Type, types[i])
		text, comment, err := f.arg(p)
		if err != nil {
			panic(throw.Of(unablef("argument %d: %v", i, err)))
		}
		f.line("  - %s%s", text, behind(joined(strings.TrimSpace(p.Type+" "+p.Name), comment)))
	}
}

// joined are remarks in a row.
func joined(remarks ...string) string {
	return strings.Join(slices.DeleteFunc(remarks, func(s string) bool { return s == "" }), "; ")
}

// behind is a comment behind YAML.
func behind(comment string) string {
	if comment == "" {
		return ""
	}
	return "   # " + comment
}

// addresses warns of what memory held.
func addresses(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("holds %d addresses of the application, which mean nothing here", n)
}

// arg is an argument as YAML, with what to say of it.
func (f *file) arg(p param) (text, comment string, err error) {
	bytes, err := hex.DecodeString(p.Hex)
	switch pointers := p.Pointers; {
	case err != nil:
		return "", "", err
	case p.SVM:
		return "", "", fmt.Errorf("%s is shared virtual memory, which launch files do not have", p.Name)
	case strings.HasPrefix(p.Type, "image") || strings.HasPrefix(p.Type, "sampler"):
		return "", "", fmt.Errorf("%s is of type %s, which launch files do not have", p.Name, p.Type)
	case p.pointed() && word(bytes) == 0:
		return `{hex: "0000000000000000"}`, "no memory", nil
	case p.pointed() && len(pointers) == 0:
		return "", "", fmt.Errorf("%s was not made by clCreateBuffer", p.Name)
	case len(bytes) == 0:
		d := dtype(p.Type)
		if size := device.DTypeSize(d); size == 0 || p.Size%size != 0 {
			d = "uint8"
		}
		return fmt.Sprintf("{local: %s, size: %d}", d, p.Size/device.DTypeSize(d)), "", nil
	case len(pointers) == 1 && p.Size == 8:
		text, comment, err = f.buffer(pointers[0], p)
		return "{" + text + "}", comment, err
	case len(pointers) > 0:
		return f.structure(p, bytes)
	}
	if text, ok := scalar(dtype(p.Type), bytes); ok && !strings.Contains(p.Type, "*") {
		return "{" + text + "}", "", nil
	}
	return fmt.Sprintf("{hex: %q}", p.Hex), readings(bytes), nil
}

// structure is a parameter that holds pointers among other bytes.
func (f *file) structure(p param, bytes []byte) (text, comment string, err error) {
	var parts, remarks []string
	last := int64(0)
	rest := func(to int64) {
		if to > last {
			parts = append(parts, fmt.Sprintf("{hex: %q}", hex.EncodeToString(bytes[last:to])))
		}
	}
	for _, q := range p.Pointers {
		rest(q.Offset)
		text, comment, err := f.buffer(q, param{})
		if err != nil {
			return "", "", err
		}
		parts, remarks = append(parts, "{"+text+"}"), append(remarks, comment)
		last = q.Offset + 8
	}
	rest(p.Size)
	return "{struct: [" + strings.Join(parts, ", ") + "]}", joined(remarks...), nil
}

// buffer is a pointer to memory. The first one describes the memory.
func (f *file) buffer(q pointer, p param) (text, comment string, err error) {
	m := f.Memory[q.Memory]
	if f.named[q.Memory] {
		text = "buffer: " + f.names[q.Memory]
	} else {
		f.named[q.Memory], f.names[q.Memory] = true, f.bufferName(p.Name, q.Memory)
		filled := "fill: unknown"
		switch {
		case m.Zeros:
			filled = "fill: zeros"
		case m.File != "" && f.kept[q.Memory]:
			if filled, err = f.data(m.File); err != nil {
				return "", "", err
			}
			if m.Part {
				filled += fmt.Sprintf(", data_at: %d", m.From)
			}
			comment = joined(comment, addresses(m.Addresses))
		case f.all:
			comment = joined(comment, "its "+format.Bytes(m.Bytes)+" were not kept")
		case f.kept[q.Memory]:
			comment = joined(comment, "its "+format.Bytes(m.Bytes)+" decide about the time, and were not kept (--contents)")
		}
		text = fmt.Sprintf("buffer: %s, %s, %s", f.names[q.Memory], shape(dtype(p.Type), m.Bytes), filled)
		switch {
		case m.Managed:
			text += ", memory: managed"
		case m.Host:
			text += ", memory: host"
		}
	}
	if q.At > 0 {
		text += fmt.Sprintf(", at: %d", q.At)
	}
	return text, comment, nil
}

// bufferName is the name of a parameter where it has one that no other memory has.
func (f *file) bufferName(name string, i int) string {
	if name == "" || slices.Contains(f.names, name) || !plainName.MatchString(name) {
		name = "b" + strconv.Itoa(i)
	}
	return name
}

// shape is the size of memory, in elements where their type is known.
func shape(d string, bytes int64) string {
	if size := device.DTypeSize(d); size > 0 && bytes%size == 0 {
		return fmt.Sprintf("dtype: %s, size: %d", d, bytes/size)
	}
	return fmt.Sprintf("bytes: %d", bytes)
}

// data copies a file of the journal beside the launch file.
func (f *file) data(file string) (text string, err error) {
	name, err := f.keep(filepath.Join(f.journal.folder, file), "contents", ".bin")
	return "data: " + name, err
}

// globals writes the variables of the module that were kept.
func (f *file) globals() {
	var lines []string
	for _, v := range f.Variables {
		data := "fill: zeros"
		switch {
		case v.Zeros:
		case v.File == "": // it could not be written
			continue
		default:
			data = throw.Get(f.data(v.File))
		}
		lines = append(lines, fmt.Sprintf("  %s: {bytes: %d, %s}%s", quoted(v.Name), v.Bytes, data, behind(addresses(v.Addresses))))
	}
	if lines != nil {
		f.lines = append(append(f.lines, "globals:"), lines...)
	}
}

// scalar is a value of a known type, if it can be written as a number.
func scalar(d string, bytes []byte) (string, bool) {
	if int(device.DTypeSize(d)) != len(bytes) {
		return "", false
	}
	u := word(bytes)
	var text string
	switch d {
	case "float32", "float64":
		v, bits := math.Float64frombits(u), 64
		if d == "float32" {
			v, bits = float64(math.Float32frombits(uint32(u))), 32
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", false
		}
		text = strconv.FormatFloat(v, 'g', -1, bits)
	case "int8", "int16", "int32", "int64":
		shift := 64 - 8*len(bytes)
		text = strconv.FormatInt(int64(u<<shift)>>shift, 10)
	case "uint8", "uint16", "uint32", "uint64":
		if u > math.MaxInt64 {
			return "", false
		}
		text = strconv.FormatUint(u, 10)
	default:
		return "", false
	}
	return d + ": " + text, true
}

func word(bytes []byte) uint64 {
	var all [8]byte
	copy(all[:], bytes)
	return binary.LittleEndian.Uint64(all[:])
}

// readings says what bytes of an unknown type may mean.
func readings(bytes []byte) string {
	u := word(bytes)
	switch len(bytes) {
	case 4:
		return fmt.Sprintf("%d as int32, %g as float32", int32(u), math.Float32frombits(uint32(u)))
	case 8:
		first, second := uint32(u), uint32(u>>32)
		return fmt.Sprintf("%d as int64, %g as float64; %d and %d as int32, %g and %g as float32", int64(u), math.Float64frombits(u),
			int32(first), int32(second), math.Float32frombits(first), math.Float32frombits(second))
	case 1, 2:
		return strconv.FormatUint(u, 10)
	}
	return ""
}
