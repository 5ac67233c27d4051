package exec

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"sync"

	"gpuperf/device"
)

// Memory is global memory as a launch finds it: buffers at addresses. What a buffer starts with is made as it is needed.
type Memory struct {
	buffers []placed
	index   map[string]int
	pages   map[uint64]*page
	// overwritten names buffers of which nobody knows what they hold.
	overwritten []string
	last        *placed // where accesses lay that were looked at last
	parts       bool    // whether of some buffer a file has a part alone
}

// placed is a buffer at an address.
type placed struct {
	arg  device.Arg
	at   uint64
	data []byte // what it starts with; nil where the argument says it
}

// Addresses of what a launch sees.
const (
	firstBuffer = 0x7f_0000_0000 // where drivers give buffers addresses, about
	alignment   = 1 << 21        // of buffers
	sharedAt    = 0x7e_0000_0000 // where generic addresses of local (shared) memory begin
	constantAt  = 0x7e_4000_0000 // where those of the constant bank of parameters begin
	privateAt   = 0x7e_8000_0000 // where those of private memory begin
	windowSize  = 1 << 24        // bytes of addresses for a kind of memory: more than a work-group has of any
)

// newMemory is memory without buffers.
func newMemory() *Memory { return &Memory{index: map[string]int{}, pages: map[uint64]*page{}} }

// place returns the address of a buffer, which it adds if there is none of its name. Without data it starts as the argument says. It lies where it lay in the
// application, if that is known: what a capture takes for a pointer may be numbers that look like one, and then is these numbers.
func (m *Memory) place(a device.Arg, data []byte) uint64 {
	if i, ok := m.index[a.Name]; ok {
		return m.buffers[i].at
	}
	b := placed{arg: a, at: uint64(a.Place), data: data}
	if !m.free(&b) {
		b.at = firstBuffer
		if n := len(m.buffers); n > 0 {
			b.at = (m.buffers[n-1].end() + alignment - 1) / alignment * alignment
		}
	}
	m.parts = m.parts || a.File.Part()
	n := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].at > b.at })
	m.buffers, m.last = slices.Insert(m.buffers, n, b), nil
	for i := n; i < len(m.buffers); i++ {
		m.index[m.buffers[i].arg.Name] = i
	}
	return b.at
}

// end is the address behind a buffer.
func (b *placed) end() uint64 { return b.at + uint64(b.arg.Bytes()) }

// free reports whether a buffer can lie where it is to: where drivers put buffers, at whole pages, and apart from all others.
func (m *Memory) free(b *placed) bool {
	const most = 1 << 47 // addresses of programs
	return b.at >= firstBuffer && b.end() < most && b.at%pageSize == 0 && !slices.ContainsFunc(m.buffers, func(other placed) bool {
		return other.at < b.end() && b.at < other.end()
	})
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
	if i := m.number(address); i >= 0 {
		return &m.buffers[i]
	}
	return nil
}

// number is that of the buffer that an address lies in; -1 for none.
func (m *Memory) number(address uint64) int {
	i := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].at > address }) - 1
	if i < 0 || address-m.buffers[i].at >= uint64(m.buffers[i].arg.Bytes()) {
		return -1
	}
	return i
}

// within reports whether two addresses lie in buffers, or where no buffers are placed: memory that the launch does not describe.
func (m *Memory) within(low, high uint64) bool {
	if b := m.last; b == nil || low < b.at || high-b.at >= uint64(b.arg.Bytes()) {
		for _, at := range [2]uint64{low, high} {
			if b = m.holding(at); b == nil && m.among(at) {
				return false
			}
		}
		m.last = b
	}
	return true
}

// among reports whether an address lies behind a buffer, before where the next one may begin.
func (m *Memory) among(address uint64) bool {
	i := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].at > address }) - 1
	return i >= 0 && address < (m.buffers[i].at+uint64(m.buffers[i].arg.Bytes())+alignment-1)/alignment*alignment
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
		copy(p.known[:n], zeros.known[:])
	}
	m.pages[number] = p
	return p
}

// pageSize is the bytes of a page of memory.
const pageSize = 1024

// page is a part of memory: bytes, and for each byte 0xff where it is known, 0 where it is not.
type page struct {
	data, known [pageSize]byte
}

// words are up to 16 bytes of memory as registers, with those that are known as bits.
type words struct {
	value [4]uint32
	known uint8
}

// load reads n words of 4 bytes from an address that is a multiple of 4, all within the page.
func (p *page) load(at, n int, w *words) {
	for i := range n {
		w.value[i] = binary.LittleEndian.Uint32(p.data[at+4*i:])
		if binary.LittleEndian.Uint32(p.known[at+4*i:]) == 0xffffffff {
			w.known |= 1 << i
		}
	}
}

// space is memory by address: pages that were written, above what it starts with.
type space struct {
	pages map[uint64]*page
	base  func(number uint64) *page // a page as it starts, shared and never written; nil where nothing is known of it
	used  [recent]recentPage        // by the low bits of their numbers
	// forgotten is whether something was stored where nobody knows: what a page starts with is not known any more.
	forgotten bool
}

// recent is how many pages a space has at hand.
const recent = 64

// recentPage is a page that was used.
type recentPage struct {
	number uint64 // plus 1
	page   *page
	own    bool // whether it may be written
}

func newSpace(base func(uint64) *page) *space { return &space{pages: map[uint64]*page{}, base: base} }

// unknownPage is a page of which nothing is known.
var unknownPage = &page{}

// find returns the page of a number to be read.
func (s *space) find(number uint64) *recentPage {
	r := &s.used[number%recent]
	if r.number == number+1 {
		return r
	}
	p, own := s.pages[number], true
	if p == nil {
		p, own = unknownPage, false
		if s.base != nil && !s.forgotten {
			if b := s.base(number); b != nil {
				p = b
			}
		}
	}
	*r = recentPage{number + 1, p, own}
	return r
}

// write returns the page of a number to be written.
func (s *space) write(number uint64) *page {
	r := s.find(number)
	if !r.own {
		p, _ := spare.Get().(*page)
		if p == nil {
			p = &page{}
		}
		*p = *r.page
		r.page, r.own, s.pages[number] = p, true, p
	}
	return r.page
}

// read reads up to 16 bytes: whole words, or one byte or two in the first word.
func (s *space) read(address uint64, bytes int) (w words) {
	at := int(address % pageSize)
	if bytes >= 4 && address%4 == 0 && at+bytes <= pageSize {
		s.find(address/pageSize).page.load(at, bytes/4, &w)
		return w
	}
	w.known = 0xf
	for i := range bytes {
		a := address + uint64(i)
		p := s.find(a / pageSize).page
		w.value[i/4] |= uint32(p.data[a%pageSize]) << (8 * (i % 4))
		if p.known[a%pageSize] == 0 {
			w.known &^= 1 << (i / 4)
		}
	}
	return w
}

// store writes up to 16 bytes. Where maybe says that nobody knows whether they are written, bytes stay known that do not change.
func (s *space) store(address uint64, bytes int, w *words, maybe bool) {
	at := int(address % pageSize)
	if !maybe && bytes >= 4 && address%4 == 0 && at+bytes <= pageSize {
		p := s.write(address / pageSize)
		for i := range bytes / 4 {
			binary.LittleEndian.PutUint32(p.data[at+4*i:], w.value[i])
			binary.LittleEndian.PutUint32(p.known[at+4*i:], -uint32(w.known>>i&1))
		}
		return
	}
	for i := range bytes {
		a := address + uint64(i)
		p := s.write(a / pageSize)
		at := a % pageSize
		b, known := byte(w.value[i/4]>>(8*(i%4))), byte(0)
		if w.known>>(i/4)&1 != 0 {
			known = 0xff
		}
		if maybe && (p.data[at] != b || p.known[at] == 0) {
			known = 0
		}
		p.data[at], p.known[at] = b, known
	}
}

// blur makes unknown what bytes hold.
func (s *space) blur(address, bytes uint64) {
	for a, end := address, address+bytes; a < end; {
		next := min(end, (a/pageSize+1)*pageSize)
		clear(s.write(a / pageSize).known[a%pageSize : a%pageSize+next-a])
		a = next
	}
}

// spare are pages that nobody uses any more.
var spare sync.Pool

// release ends the use of the pages that were written.
func (s *space) release() {
	for _, p := range s.pages {
		spare.Put(p)
	}
	clear(s.pages)
	s.used = [recent]recentPage{}
}

// forget makes everything unknown.
func (s *space) forget() {
	clear(s.pages)
	s.forgotten, s.used = true, [recent]recentPage{}
}
