package cuda

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"
)

// functions says of each function that is called what its arguments are, by a word of kinds for each. Behind a colon stands which argument
// says how many; of a number, how many bytes it has; of a launch, which argument is the kernel.
var functions = map[string]string{
	"cuCtxSetCurrent":                             "handle",
	"cuDeviceGet":                                 "number:4 n",
	"cuDeviceGetAttribute":                        "number:4 n n",
	"cuDeviceGetCount":                            "number:4",
	"cuDeviceGetName":                             "fill:1 n n",
	"cuDeviceGetPCIBusId":                         "fill:1 n n",
	"cuDeviceGetUuid_v2":                          "uuid n",
	"cuDevicePrimaryCtxRelease_v2":                "n",
	"cuDevicePrimaryCtxRetain":                    "new n",
	"cuDeviceTotalMem_v2":                         "number:8 n",
	"cuDriverGetVersion":                          "number:4",
	"cuEventCreate":                               "new n",
	"cuEventDestroy_v2":                           "handle",
	"cuEventElapsedTime":                          "float handle handle",
	"cuEventRecord":                               "handle handle",
	"cuEventSynchronize":                          "handle",
	"cuFuncGetAttribute":                          "number:4 n handle",
	"cuFuncGetParamInfo":                          "handle n number:8 number:8",
	"cuFuncSetAttribute":                          "handle n n",
	"cuInit":                                      "n",
	"cuGraphDestroy":                              "handle",
	"cuGraphExecDestroy":                          "handle",
	"cuGraphInstantiateWithFlags":                 "new handle n",
	"cuGraphLaunch":                               "handle handle",
	"cuLaunchKernel":                              "handle n n n n n n n handle launch:0 packed",
	"cuLaunchKernelEx":                            "config handle launch:1 packed",
	"cuMemAlloc_v2":                               "memory:1 n",
	"cuMemFreeHost":                               "handle",
	"cuMemFree_v2":                                "handle",
	"cuMemHostAlloc":                              "host:1 n n",
	"cuMemHostGetDevicePointer_v2":                "new handle n",
	"cuMemcpyDtoDAsync_v2":                        "handle handle n handle",
	"cuMemcpyDtoH_v2":                             "fill:2 handle n",
	"cuMemcpyHtoDAsync_v2":                        "handle bytes:2 n handle",
	"cuModuleGetFunction":                         "new handle text",
	"cuModuleGetGlobal_v2":                        "global:1 number:8 handle text",
	"cuModuleLoadData":                            "new image",
	"cuModuleLoadDataEx":                          "new image n numbers:2 log",
	"cuModuleUnload":                              "handle",
	"cuStreamBeginCapture_v2":                     "handle n",
	"cuStreamEndCapture":                          "handle new",
	"cuStreamCreate":                              "new n",
	"cuStreamDestroy_v2":                          "handle",
	"cuStreamSynchronize":                         "handle",
	"cuOccupancyMaxActiveBlocksPerMultiprocessor": "number:4 handle n n",

	"nvrtcAddNameExpression": "handle text",
	"nvrtcCompileProgram":    "handle n texts:1",
	"nvrtcCreateProgram":     "new text text n n n",
	"nvrtcDestroyProgram":    "at",
	"nvrtcGetCUBIN":          "handle answered",
	"nvrtcGetCUBINSize":      "handle number:8",
	"nvrtcGetLoweredName":    "handle text place",
	"nvrtcGetProgramLog":     "handle answered",
	"nvrtcGetProgramLogSize": "handle number:8",
	"nvrtcVersion":           "number:4 number:4",

	"nvmlInit_v2":                               "",
	"nvmlShutdown":                              "",
	"nvmlSystemGetDriverVersion":                "fill:1 n",
	"nvmlDeviceGetHandleByUUID":                 "text new",
	"nvmlDeviceGetHandleByPciBusId_v2":          "text new",
	"nvmlDeviceGetClockInfo":                    "handle n number:4",
	"nvmlDeviceGetPowerUsage":                   "handle number:4",
	"nvmlDeviceGetTemperature":                  "handle n number:4",
	"nvmlDeviceGetCurrentClocksThrottleReasons": "handle number:8",
}

// side is what a conversation sees of a call: an argument among all of them, and the number behind the kind's name.
type side struct {
	*conversation
	kind kind
	args []uintptr
	arg  uintptr
	n    int
}

// count is the argument that says how many.
func (s side) count() uintptr { return s.args[s.n] }

// kind says of an argument what goes in and what comes out, as text, and has that come out again; a function that is not there does nothing.
type kind struct {
	in  func(s side) string
	out func(s side) string
	put func(s side, text string)
}

var kinds map[string]kind

func init() {
	kinds = map[string]kind{
		// by value
		"n":      {in: func(s side) string { return fmt.Sprint(int64(s.arg)) }},
		"handle": {in: func(s side) string { return s.name(s.arg) }}, // or an address in memory that the libraries have given

		// what goes in through a pointer
		"text":    {in: func(s side) string { return goString(to[byte](s.arg)) }},
		"at":      {in: func(s side) string { return s.name(*to[uintptr](s.arg)) }}, // a handle
		"bytes":   {in: func(s side) string { return brief(memory(s.arg, s.count())) }},
		"image":   {in: func(s side) string { return brief(image(s.arg)) }},
		"texts":   {in: func(s side) string { return list(s, func(text *byte) string { return goString(text) }) }},
		"numbers": {in: func(s side) string { return fmt.Sprint(unsafe.Slice(to[int32](s.arg), s.count())) }},
		"launch":  {in: side.launch}, // the addresses of a kernel's arguments
		"packed":  {in: side.packed}, // or of all of them in one piece
		"config":  {in: side.config}, // of a launch with attributes

		// what comes out through a pointer
		"number": {out: side.number, put: side.putNumber},
		"float": {
			out: func(s side) string { return fmt.Sprint(*to[float32](s.arg)) },
			put: func(s side, text string) { fmt.Sscan(text, to[float32](s.arg)) },
		},
		"new":      {out: func(s side) string { return s.meet(*to[uintptr](s.arg), 0) }, put: side.putHandle},
		"memory":   {out: func(s side) string { return s.meet(*to[uintptr](s.arg), s.count()) }, put: side.putHandle},
		"global":   {out: func(s side) string { return s.meet(*to[uintptr](s.arg), *to[uintptr](s.count())) }, put: side.putHandle}, // the place of its size
		"host":     {out: func(s side) string { return s.meet(*to[uintptr](s.arg), s.count()) }, put: side.putHost},                 // memory that this process sees, too
		"uuid":     {out: func(s side) string { return whole(memory(s.arg, 16)) }, put: func(s side, text string) { unpack(text, memory(s.arg, 16)) }},
		"fill":     {out: func(s side) string { return whole(memory(s.arg, s.count())) }, put: func(s side, text string) { unpack(text, memory(s.arg, s.count())) }},
		"answered": {out: func(s side) string { return whole(memory(s.arg, s.answered)) }, put: func(s side, text string) { unpack(text, memory(s.arg, s.answered)) }},
		"place": { // for the address of a text
			out: func(s side) string { return goString(*to[*byte](s.arg)) },
			put: func(s side, text string) { *to[uintptr](s.arg) = cString(&s.keep, text) },
		},
		"log": { // the place for a text, and how many bytes it has
			out: func(s side) string { v := to[[2]uintptr](s.arg); return cText(memory(v[0], v[1])) },
			put: func(s side, text string) { v := to[[2]uintptr](s.arg); unpack("'"+text, memory(v[0], v[1])) },
		},
	}
}

// TestFunctions: each word of the table is known, and what says how many is an argument.
func TestFunctions(t *testing.T) {
	for _, function := range slices.Sorted(maps.Keys(functions)) {
		words := strings.Fields(functions[function])
		for _, word := range words {
			name, number, _ := strings.Cut(word, ":")
			if n, err := strconv.Atoi(number); number != "" && (err != nil || name != "number" && !slices.Contains([]string{"n", "handle", "number:8"}, words[n])) {
				t.Errorf("%s: argument %d cannot be meant by %s", function, n, word)
			}
			if k := kinds[name]; k.in == nil && k.out == nil || (k.out == nil) != (k.put == nil) {
				t.Errorf("%s: there is no kind %s", function, name)
			}
		}
	}
}

// to is what an address points to.
func to[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func memory(address, size uintptr) []byte { return unsafe.Slice(to[byte](address), size) }

// list is the text of what some addresses point to.
func list(s side, text func(*byte) string) string {
	var all []string
	for _, p := range unsafe.Slice(to[*byte](s.arg), s.count()) {
		all = append(all, text(p))
	}
	return strings.Join(all, " ")
}

// image is machine code, which has its size in its header, or PTX, which ends with a zero byte.
func image(address uintptr) []byte {
	if b := to[[64]byte](address); string(b[:4]) == "\x7fELF" {
		elf := to[struct {
			_                      [32]byte
			programs, sections     uint64
			_                      [6]byte
			programSize, programsN uint16
			sectionSize, sectionsN uint16
		}](address)
		end := max(elf.programs+uint64(elf.programSize)*uint64(elf.programsN), elf.sections+uint64(elf.sectionSize)*uint64(elf.sectionsN))
		return memory(address, uintptr(end))
	}
	return []byte(goString(to[byte](address)))
}

// whole is the text of bytes, as unpack reads it: as they are where they are text, without the zeros at their end.
func whole(b []byte) string {
	b = bytes.TrimRight(b, "\x00")
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return "'" + string(b)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func unpack(text string, to []byte) {
	b := []byte(strings.TrimPrefix(text, "'"))
	if !strings.HasPrefix(text, "'") {
		b, _ = base64.StdEncoding.DecodeString(text)
	}
	clear(to[copy(to, b):])
}

// brief tells bytes from others.
func brief(b []byte) string {
	return fmt.Sprintf("%d bytes, %08x", len(b), crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func (s side) number() string {
	s.answered = uintptr(little(memory(s.arg, uintptr(s.n))))
	return fmt.Sprint(s.answered)
}

func (s side) putNumber(text string) {
	v, _ := strconv.ParseUint(text, 10, 64)
	s.answered = uintptr(v)
	copy(memory(s.arg, uintptr(s.n)), binary.LittleEndian.AppendUint64(nil, v))
}

// little is a little-endian number of at most eight bytes.
func little(b []byte) uint64 {
	return binary.LittleEndian.Uint64(append(slices.Clone(b), make([]byte, 8)...))
}

// putHandle puts what stands for a handle.
func (s side) putHandle(name string) {
	*to[uintptr](s.arg) = 0
	if h := s.handle(name); h != nil {
		*to[uintptr](s.arg) = h.at
	}
}

func (s side) putHost(name string) {
	b := make([]uint64, s.count()/8+1)
	s.keep.Pin(&b[0])
	*s.handle(name) = handle{uintptr(unsafe.Pointer(&b[0])), s.count()}
	s.putHandle(name)
}

// launch is the text of a kernel's arguments: their sizes, then their bytes in hexadecimal digits, but for the names of addresses.
func (s side) launch() string {
	const begin = "arguments of "
	if s.arg == 0 {
		return "0"
	}
	var sizes []uintptr
	if s.real != nil {
		sizes = s.parameters()
	} else if s.next < len(s.said) {
		for _, text := range s.said[s.next].Args {
			if text, ok := strings.CutPrefix(text, begin); ok {
				text, _, _ = strings.Cut(text, ":")
				for _, size := range strings.Fields(text) {
					n, _ := strconv.Atoi(size)
					sizes = append(sizes, uintptr(n))
				}
			}
		}
	}
	var values []string
	for i, place := range unsafe.Slice(to[uintptr](s.arg), len(sizes)) {
		values = append(values, s.words(memory(place, sizes[i])))
	}
	return begin + strings.Trim(fmt.Sprint(sizes), "[]") + ": " + strings.Join(values, ", ")
}

// parameters are the sizes of those of the kernel that is launched.
func (s side) parameters() (sizes []uintptr) {
	place := new([2]uintptr) // offset and size
	s.keep.Pin(place)
	for {
		at := uintptr(unsafe.Pointer(place))
		if r, _ := s.real.Call("cuFuncGetParamInfo", s.count(), uintptr(len(sizes)), at, at+8); r != 0 {
			return sizes
		}
		sizes = append(sizes, place[1])
	}
}

// packed is the text of the arguments at the second of five addresses, the size is at the fourth.
func (s side) packed() string {
	if s.arg == 0 {
		return "0"
	}
	extra := to[[5]uintptr](s.arg)
	return fmt.Sprint(extra[0], ", ", s.words(memory(extra[1], *to[uintptr](extra[3]))), ", ", extra[2], ", ", extra[4])
}

func (s side) config() string {
	c := to[launchConfig](s.arg)
	text := fmt.Sprint(c.grid, c.block, c.shared, " ", s.name(c.stream))
	for _, a := range unsafe.Slice(to[launchAttribute](c.attributes), c.count) {
		text += fmt.Sprint(", ", a.id, ": ", a.value[:4])
	}
	return text
}

func (s side) words(b []byte) string {
	var all []string
	for word := range slices.Chunk(b, 8) {
		text := s.name(uintptr(little(word)))
		if len(word) < 8 || !strings.HasPrefix(text, "#") {
			text = hex.EncodeToString(word)
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}
