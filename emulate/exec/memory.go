package exec

import (
	"fmt"
	"slices"
	"sort"

	"gpuperf/device"
)

// Memory is global memory as a launch finds it: buffers at addresses. What a buffer starts with is made as it is needed.
type Memory struct {
	buffers []placed
	index   map[string]int
	pages   map[uint64]*page
	// overwritten names buffers of which nobody knows what they hold.
	overwritten []string
}

// placed is a buffer at an address.
type placed struct {
	arg  device.Arg
	at   uint64
	data []byte // what it starts with; nil where the argument says it
}

// Addresses of what a launch sees.
const (
	firstBuffer = 0x7f_0000_0000
	alignment   = 1 << 21        // of buffers
	sharedAt    = 0x7e_0000_0000 // where generic addresses of local (shared) memory begin
	constantAt  = 0x7e_4000_0000 // where those of the constant bank of parameters begin
	privateAt   = 0x7e_8000_0000 // where those of private memory begin
	windowSize  = 1 << 24
)

// newMemory is memory without buffers.
func newMemory() *Memory { return &Memory{index: map[string]int{}, pages: map[uint64]*page{}} }

// place returns the address of a buffer, which it adds if there is none of its name. Without data it starts as the argument says.
func (m *Memory) place(a device.Arg, data []byte) uint64 {
	if i, ok := m.index[a.Name]; ok {
		return m.buffers[i].at
	}
	at := uint64(firstBuffer)
	if n := len(m.buffers); n > 0 {
		last := m.buffers[n-1]
		at = (last.at + uint64(last.arg.Bytes()) + alignment - 1) / alignment * alignment
	}
	m.index[a.Name] = len(m.buffers)
	m.buffers = append(m.buffers, placed{arg: a, at: at, data: data})
	return at
}

// check reads the first element of every buffer whose data lies in a file.
func (m *Memory) check() error {
	for _, b := range m.buffers {
		if b.data != nil || b.arg.File == nil {
			continue
		}
		if err := b.arg.Load(make([]byte, device.DTypeSize(b.arg.DType)), 0); err != nil {
			return fmt.Errorf("buffer %s: %w", b.arg.Name, err)
		}
	}
	return nil
}

// Find returns the buffer that an address lies in, and how many bytes behind its start; "" for none.
func (m *Memory) Find(address uint64) (name string, offset uint64) {
	if b := m.holding(address); b != nil {
		return b.arg.Name, address - b.at
	}
	return "", 0
}

func (m *Memory) holding(address uint64) *placed {
	i := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].at > address }) - 1
	if i < 0 || address-m.buffers[i].at >= uint64(m.buffers[i].arg.Bytes()) {
		return nil
	}
	return &m.buffers[i]
}

// page makes a page as the launch finds it.
func (m *Memory) page(number uint64) *page {
	if p, ok := m.pages[number]; ok {
		return p
	}
	var p *page
	if b := m.holding(number * pageSize); b != nil && !slices.Contains(m.overwritten, b.arg.Name) {
		size := uint64(device.DTypeSize(b.arg.DType))
		offset := number*pageSize - b.at
		n := min(pageSize, uint64(b.arg.Bytes())-offset)
		p = &page{}
		if b.data != nil {
			copy(p.data[:n], b.data[offset:])
		} else if err := b.arg.Load(p.data[:n], int64(offset/size)); err != nil {
			n = 0 // the file has become shorter: what it held is not known
		}
		for i := range n {
			p.known[i] = 0xff
		}
	}
	m.pages[number] = p
	return p
}
