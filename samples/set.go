package samples

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"os"

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
	for l, err := range s.admitted(s.size, size, s.newlines+1) {
		if err != nil {
			return err
		}
		s.add(l)
	}
	s.save()
	return nil
}

// admitted is lines, with the errors of admit, as far as one that was cut off.
func (s *Set) admitted(from, to int64, number int64) iter.Seq2[*line, error] {
	return func(yield func(*line, error) bool) {
		for l, err := range s.lines(from, to, number) {
			torn := false
			if err == nil {
				torn, err = s.admit(l)
			}
			if torn || !yield(l, err) || err != nil {
				return
			}
		}
	}
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
		return fmt.Errorf("the record is of device %v, those before it are of %v: %s", r.Device, s.first.Device, s.first.Device.Difference(r.Device))
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
