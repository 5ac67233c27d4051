package samples

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"

	"gpuperf/internal/replace"
)

// index tells where the settled records of a text are. Beside a large journal it is kept as a file, so that the next
// opening need not read all records. That file is never trusted: it counts only if it is whole, and if the checksum of the
// text that it covers is still the same. Text behind that is read as if there were no index.
type index struct {
	size     int64  // bytes of text that are covered: whole records
	newlines int64  // among them
	sum      uint32 // checksum of them
	entries  []entry
	newest   map[uint64]int32 // by Kernel: 1 + the number of its newest entry
	before   []int32          // for each entry, 1 + the number of the one before it of the same kernel
	saved    int64            // size that the index file covers
}

// entry is a settled record: three hashes of what it is searched by, and its place.
type entry struct {
	Family uint64 // the kernel at any sizes, and the mode
	Kernel uint64 // the kernel, and the mode
	Work   uint64 // what Record.SameWork compares
	At     int64  // bytes before it
}

const (
	indexSuffix = ".index"
	indexMagic  = "perf samples 1\n\x00"
	entrySize   = 32 // bytes of an entry
)

// indexEvery is the number of bytes of text after which the index file is written again. What it does not cover is read in well
// under a second.
var indexEvery int64 = 16 << 20

// header starts the index file. Entries follow, then the checksum of both.
type header struct {
	Magic    [len(indexMagic)]byte
	Size     int64
	Newlines int64
	Sum      uint32
}

var checksums = crc32.MakeTable(crc32.Castagnoli)

func hashOf(format string, args ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, format, args...)
	return h.Sum64()
}

func entryOf(r *Record) entry {
	return entry{
		Family: hashOf("%s %s", r.Kernel.family(), r.Mode),
		Kernel: hashOf("%s %s", r.Kernel.Key(), r.Mode),
		Work:   hashOf("%q %q %q %d %d", r.SourceHash, r.Entry, r.Options, r.Global, r.Local),
	}
}

// add covers one more line of the text.
func (x *index) add(l *line) {
	if l.record != nil && l.record.Status.Settled() {
		e := l.entry
		e.At = x.size
		x.link(e)
	}
	x.size += int64(len(l.text))
	x.newlines += int64(l.newlines())
	x.sum = crc32.Update(x.sum, checksums, l.text)
}

func (x *index) link(e entry) {
	if x.newest == nil {
		x.newest = map[uint64]int32{}
	}
	x.entries = append(x.entries, e)
	x.before = append(x.before, x.newest[e.Kernel])
	x.newest[e.Kernel] = int32(len(x.entries))
}

// save writes the index file where much text is not covered yet. It replaces the old one at once, so that a process that is
// killed leaves one of them. Failing does no harm but that the next opening is slow.
func (s *Set) save() {
	if s.file == nil || s.size-s.saved < indexEvery {
		return
	}
	s.saved = s.size
	h := header{Size: s.size, Newlines: s.newlines, Sum: s.sum}
	copy(h.Magic[:], indexMagic)
	out, err := binary.Append(nil, binary.LittleEndian, h)
	if err == nil {
		out, err = binary.Append(out, binary.LittleEndian, s.entries)
	}
	if err != nil {
		panic(err) // the types are of fixed size
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, checksums))
	replace.Bytes(s.Path+indexSuffix, out)
}

// restore takes over the index file, if it is of the first bytes of the text.
func (s *Set) restore(size int64) {
	path := s.Path + indexSuffix
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > size { // a record takes more bytes than its entry
		return
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) < crc32.Size {
		return
	}
	body, sum := data[:len(data)-crc32.Size], data[len(data)-crc32.Size:]
	var h header
	n, err := binary.Decode(body, binary.LittleEndian, &h)
	if err != nil || string(h.Magic[:]) != indexMagic || h.Size > size ||
		crc32.Checksum(body, checksums) != binary.LittleEndian.Uint32(sum) {
		return
	}
	text := crc32.New(checksums)
	if _, err := io.Copy(text, io.NewSectionReader(s.text, 0, h.Size)); err != nil || text.Sum32() != h.Sum {
		return
	}
	entries := make([]entry, (len(body)-n)/entrySize)
	if _, err := binary.Decode(body[n:], binary.LittleEndian, entries); err != nil {
		return
	}
	s.index = index{size: h.Size, newlines: h.Newlines, sum: h.Sum, saved: h.Size, newest: make(map[uint64]int32, len(entries))}
	for _, e := range entries {
		s.link(e)
	}
	for r := range s.All() { // the first tells what all are of
		s.first = r
		break
	}
}
