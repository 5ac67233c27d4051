package samples

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/internal/warning"
)

// Set is a file of records of one device that can be searched. It holds where each record is, and not the records: a journal may have a
// million of them. It is not safe for concurrent use.
type Set struct {
	Path     string  // the name of the file
	Warnings []error // what was odd about the file when it was opened
	text     io.ReaderAt
	file     *os.File // nil where the text is in memory
	first    *Record  // tells what all are of; nil where there is none
	index
}

// Freshness is what a set knows about a sample that is wanted.
type Freshness int

const (
	Missing Freshness = iota // no record, or none whose answer is settled
	Stale                    // measured from another source, or launched otherwise
	Fresh                    // the answer is there
)

func (f Freshness) String() string { return [...]string{"missing", "stale", "fresh"}[f] }

// maxUnpacked bounds the text of a compressed journal, and of one that is no file, as it is held in memory.
const maxUnpacked = 256 << 20

// Load opens a journal for reading, one JSON object a line; blank lines are skipped. A last line that was cut off is a warning. Any
// other line that is not a valid record, or that is of another device than the first one, is an error that names the file, the
// line and, where known, the column. What gzip has compressed is unpacked.
func Load(path string) (*Set, error) {
	f, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Set{Path: path, text: f, file: f}
	if err := s.open(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *Set) open() error {
	size, err := s.openText()
	if err != nil {
		return err
	}
	return s.load(size)
}

// openText makes the text ready, and returns its size. A regular file is read where it is, anything else to its end.
func (s *Set) openText() (size int64, err error) {
	info, err := s.file.Stat()
	if err != nil {
		return 0, source.Unreadable(s.Path, err)
	}
	if info.Mode().IsRegular() && !isGzip(s.file) {
		return info.Size(), nil
	}
	text, err := unpack(s.file)
	if err != nil {
		return 0, source.Unreadable(s.Path, err)
	}
	s.file.Close()
	s.file, s.text = nil, bytes.NewReader(text)
	return int64(len(text)), nil
}

var gzipMagic = []byte{0x1f, 0x8b}

func isGzip(r io.ReaderAt) bool {
	start := make([]byte, len(gzipMagic))
	r.ReadAt(start, 0)
	return bytes.Equal(start, gzipMagic)
}

func unpack(f io.Reader) (text []byte, err error) {
	packed := bufio.NewReader(f)
	r := io.Reader(packed)
	if start, _ := packed.Peek(len(gzipMagic)); bytes.Equal(start, gzipMagic) {
		if r, err = gzip.NewReader(packed); err != nil {
			return nil, err
		}
	}
	text, err = io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err == nil && len(text) > maxUnpacked {
		err = fmt.Errorf("it holds more than %d MB, the limit of what is compressed or no file: write it to a file, unpacked", maxUnpacked>>20)
	}
	return text, err
}

// load finds the records in size bytes of text: those that the index file tells of, and those behind them.
func (s *Set) load(size int64) error {
	if s.file != nil {
		s.restore(size)
	}
	for l, err := range s.lines(s.size, size, s.newlines+1) {
		if err != nil {
			return err
		}
		torn, err := s.admit(l)
		if err != nil {
			return err
		}
		if torn {
			break
		}
		s.add(l)
	}
	s.save()
	return nil
}

// admit checks that a line is a record that belongs to those before it. One that was cut off is a warning, and the last.
func (s *Set) admit(l *line) (torn bool, err error) {
	if l.record != nil && s.first == nil {
		s.first = l.record
	}
	if l.record != nil {
		if err := s.admits(*l.record); err != nil {
			return false, at(s.Path, l.number, 0, "", "%v", err).WithHint("keep one file for each device, and for each program that measured")
		}
	}
	if l.torn() {
		s.Warnings = append(s.Warnings, warning.IncompleteFile.Error(
			at(s.Path, l.number, 0, "", "the last line is incomplete: a run was killed while writing it")))
		return true, nil
	}
	return false, l.err
}

// lines returns the lines of a part of the text, whose first has the given number.
func (s *Set) lines(from, to int64, number int64) iter.Seq2[*line, error] {
	return read(s.Path, io.NewSectionReader(s.text, from, to-from), int(number))
}

// All returns the records, oldest first. An error is the last.
func (s *Set) All() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for l, err := range s.lines(0, s.size, 1) {
			if err == nil {
				err = l.err
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if l.record != nil && !yield(l.record, nil) {
				return
			}
		}
	}
}

// Like returns the settled records of a kernel, in a mode, at any sizes, oldest first. An error is the last.
func (s *Set) Like(kernel Identity, mode Mode) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		want := entryOf(&Record{Kernel: kernel, Mode: mode})
		for _, e := range s.entries {
			if e.Family != want.Family {
				continue
			}
			r, err := s.record(e)
			if err != nil {
				yield(nil, err)
				return
			}
			if r.Mode == mode && r.Kernel.family() == kernel.family() && !yield(r, nil) {
				return
			}
		}
	}
}

// Find looks for a sample. Of want it reads the kernel's identity, the mode, and what [Record.SameWork] compares. With
// Fresh it returns the newest settled record of the same work, else, with Stale, the newest settled one of the kernel.
func (s *Set) Find(want Record) (Record, Freshness, error) {
	stale, state := Record{}, Missing
	key, w := want.Kernel.Key(), entryOf(&want)
	for i := s.newest[w.Kernel]; i > 0; i = s.before[i-1] {
		e := s.entries[i-1]
		if state == Stale && e.Work != w.Work {
			continue
		}
		r, err := s.record(e)
		switch {
		case err != nil:
			return Record{}, Missing, err
		case r.Mode != want.Mode || r.Kernel.Key() != key: // its hash is the same by chance
		case r.SameWork(want):
			return *r, Fresh, nil
		case state == Missing:
			stale, state = *r, Stale
		}
	}
	return stale, state, nil
}

func (s *Set) record(e entry) (*Record, error) {
	text, err := bufio.NewReader(io.NewSectionReader(s.text, e.At, s.size-e.At)).ReadString('\n')
	if err == nil || err == io.EOF {
		var r *Record
		if r, err = parseRecord(s.Path, 0, text); err == nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("the samples have changed since they were opened: byte %d: %w", e.At, err)
}

// Device returns the device that the records are of, if there are any.
func (s *Set) Device() (Fingerprint, bool) {
	if s.first == nil {
		return Fingerprint{}, false
	}
	return s.first.Device, true
}

// Origin is what measured the records, "" where it was this program.
func (s *Set) Origin() string {
	if s.first == nil {
		return ""
	}
	return s.first.Origin
}

// Own returns an error where another program has measured the records: nothing is fitted to them, and none is replayed.
func (s *Set) Own() error {
	if s.Origin() == "" {
		return nil
	}
	return &source.Error{
		Msg:  fmt.Sprintf("%s holds samples of %s, which are no measurements of kernels as this program makes and runs them", s.Path, s.Origin()),
		Hint: "`perf export` turns them into tables; to fit a model to them, write a table of features and times, for --data TABLE.csv",
	}
}

// admits returns an error where a record does not belong to those before it.
func (s *Set) admits(r Record) error {
	switch {
	case s.first == nil:
	case r.Origin != s.first.Origin:
		return fmt.Errorf("the record was measured by %s, those before it by %s", cmp.Or(r.Origin, self), cmp.Or(s.first.Origin, self))
	case !r.Device.Same(s.first.Device):
		return fmt.Errorf("the record is of device %v, those before it are of %v", r.Device, s.first.Device)
	}
	return nil
}

// self stands for this program where others are named.
const self = "perf"

// Close closes the file.
func (s *Set) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// Identity says which kernel at which size a record is about. It does not depend on the generated source, so that
// a record can be found again after an edit, and then be told apart by its hash.
type Identity struct {
	Source  string            `json:"source"`            // generator name, or base name of the script
	Variant string            `json:"variant,omitempty"` // the kernel's name within the source
	Args    map[string]string `json:"args,omitempty"`    // generator arguments, as their tags spell them
	Sizes   map[string]int64  `json:"sizes,omitempty"`   // values of the size parameters
}

// Key returns the canonical text of the identity, usable as a map key:
//
//	source[#variant] {arg:value} {size=number}
//
// with arguments and sizes in alphabetical order, separated by single blanks. A part that holds anything but
// letters, digits and the characters _ . / + - is quoted as a Go string, so that no two identities share a key.
func (id Identity) Key() string {
	var b strings.Builder
	b.WriteString(quoted(id.Source))
	if id.Variant != "" {
		b.WriteString("#" + quoted(id.Variant))
	}
	for _, k := range slices.Sorted(maps.Keys(id.Args)) {
		b.WriteString(" " + quoted(k) + ":" + quoted(id.Args[k]))
	}
	for _, k := range slices.Sorted(maps.Keys(id.Sizes)) {
		b.WriteString(" " + quoted(k) + "=" + strconv.FormatInt(id.Sizes[k], 10))
	}
	return b.String()
}

// family is the key of the kernel at any sizes.
func (id Identity) family() string {
	id.Sizes = nil
	return id.Key()
}

// String is Key.
func (id Identity) String() string { return id.Key() }

func quoted(s string) string {
	special := func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_./+-", c))
	}
	if s == "" || strings.ContainsFunc(s, special) {
		return strconv.Quote(s)
	}
	return s
}

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
