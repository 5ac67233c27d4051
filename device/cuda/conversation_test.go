package cuda

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/device/dl"
)

// What this package and the libraries say to each other is recorded in testdata/conversation, a line of JSON for each call. A test is
// answered from the recording, and fails when it calls another function than was recorded, or with other arguments. Where there is an
// NVIDIA GPU,
//
//	RECORD=1 go test ./device/cuda
//
// runs the tests on the first one, and records them anew.

// exchange is a call and its answer. Opening a library is one too.
type exchange struct {
	Call  string   `json:"call"`
	Args  []string `json:"args,omitempty"` // numbers, handles, what goes in through pointers
	Out   []string `json:"out,omitempty"`  // what comes out through pointers
	Code  int32    `json:"code,omitempty"`
	Lacks bool     `json:"lacks,omitempty"` // the library has no such function
}

func (e exchange) String() string { return fmt.Sprintf("%s(%s)", e.Call, strings.Join(e.Args, ", ")) }

const opening = "open"

// same reports whether two calls are. Where a library is looked for depends on the environment, the first is the same by its name.
func (e exchange) same(o exchange) bool {
	if e.Call == opening && o.Call == opening {
		return filepath.Base(e.Args[0]) == filepath.Base(o.Args[0])
	}
	return e.Call == o.Call && slices.Equal(e.Args, o.Args)
}

// conversation records calls, or answers them as they were recorded.
type conversation struct {
	path      string
	recording bool
	said      []exchange
	next      int         // the one to be answered next
	fail      func(error) // called once
	failed    bool
	handles   []handle
	answered  uintptr        // the number that came out last
	keep      runtime.Pinner // what stands for memory of the libraries
	real      *dl.Library    // that is called
}

// handle is an address, or what else a library tells its objects apart by. It is called #3 where it is the third that comes up.
type handle struct{ at, size uintptr }

// begin begins a conversation that is kept under a name.
func begin(name string, fail func(error)) (*conversation, error) {
	c := &conversation{path: filepath.Join("testdata", "conversation", name+".jsonl.gz"), recording: os.Getenv("RECORD") != "", fail: fail}
	if c.recording {
		return c, nil
	}
	f, err := os.Open(c.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for lines := json.NewDecoder(bufio.NewReader(unpacked)); lines.More(); {
		var e exchange
		if err := lines.Decode(&e); err != nil {
			return nil, err
		}
		c.said = append(c.said, e)
	}
	return c, nil
}

// converse returns a backend whose conversation is that of the test, and must be over when the test is.
func converse(t *testing.T) *Backend {
	t.Helper()
	c, err := begin(t.Name(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.recording && t.Failed() {
			return // what was recorded before stays
		}
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
	return &Backend{open: c.open}
}

// end writes what was recorded, or returns an error where more was recorded than has been asked for.
func (c *conversation) end() error {
	c.keep.Unpin()
	if !c.recording {
		if !c.failed && c.next < len(c.said) {
			return fmt.Errorf("%s: call %d and those behind it were recorded, and are not called any more: %v", c.path, c.next+1, c.said[c.next])
		}
		return nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, e := range c.said {
		if err := lines.Encode(e); err != nil {
			return err
		}
	}
	return cmp.Or(w.Close(), os.MkdirAll(filepath.Dir(c.path), 0o755), os.WriteFile(c.path, packed.Bytes(), 0o644))
}

// open is the [dl.Opener] of a conversation.
func (c *conversation) open(names []string) (*dl.Library, error) {
	e := exchange{Call: opening, Args: names}
	if !c.recording {
		e, ok := c.recorded(e)
		switch {
		case !ok:
			return nil, errors.New("another library is opened than was recorded")
		case e.Code != 0:
			return nil, errors.New(e.Out[0])
		}
		return &dl.Library{Name: e.Out[0], Do: c.replay}, nil
	}
	l, err := dl.OpenFirst(names)
	if err != nil {
		e.Code, e.Out = 1, []string{err.Error()}
		c.said = append(c.said, e)
		return nil, err
	}
	e.Out = []string{l.Name}
	c.said = append(c.said, e)
	return &dl.Library{Name: l.Name, Do: func(function string, args []uintptr) (uintptr, bool) { return c.record(l, function, args) }}, nil
}

// record calls a function of the library, and writes down what went in and came out.
func (c *conversation) record(l *dl.Library, function string, args []uintptr) (uintptr, bool) {
	c.real = l
	e := exchange{Call: function}
	sides := c.sides(function, args)
	e.Args = texts(sides, func(k kind) func(side) string { return k.in })
	r, ok := l.Do(function, args)
	e.Code, e.Lacks = int32(r), !ok
	if ok {
		e.Out = texts(sides, func(k kind) func(side) string { return k.out })
	}
	c.said = append(c.said, e)
	return r, ok
}

// replay answers a call as it was answered when it was recorded.
func (c *conversation) replay(function string, args []uintptr) (uintptr, bool) {
	now := exchange{Call: function}
	var sides []side
	if !c.failed {
		sides = c.sides(function, args)
		now.Args = texts(sides, func(k kind) func(side) string { return k.in })
	}
	was, ok := c.recorded(now)
	if !ok {
		return unknown, true
	}
	out := was.Out
	for _, s := range sides {
		if s.kind.put != nil && len(out) > 0 {
			s.kind.put(s, out[0])
			out = out[1:]
		}
	}
	return uintptr(was.Code), !was.Lacks
}

// texts are those of a direction.
func texts(sides []side, of func(kind) func(side) string) (all []string) {
	for _, s := range sides {
		if text := of(s.kind); text != nil {
			all = append(all, text(s))
		}
	}
	return all
}

const unknown = 999 // CUDA_ERROR_UNKNOWN

// recorded returns the next exchange of the recording, if it is this one.
func (c *conversation) recorded(now exchange) (exchange, bool) {
	if c.failed {
		return exchange{}, false
	}
	c.failed = true
	if c.next == len(c.said) {
		c.fail(fmt.Errorf("%s ends after %d calls, and now comes %v", c.path, c.next, now))
		return exchange{}, false
	}
	was := c.said[c.next]
	if !now.same(was) {
		c.fail(fmt.Errorf("%s: call %d was\n  %v\nand now is\n  %v\nwhere that is meant, record anew", c.path, c.next+1, was, now))
		return exchange{}, false
	}
	c.failed = false
	c.next++
	return was, true
}

// sides are the arguments of a call. One that the table of functions does not have is a failure.
func (c *conversation) sides(function string, args []uintptr) (sides []side) {
	text, ok := functions[function]
	words := strings.Fields(text)
	if !ok || len(words) != len(args) {
		c.fail(fmt.Errorf("say in the table of functions what the %d arguments of %s are", len(args), function))
		c.failed = true
		return nil
	}
	for i, word := range words {
		name, number, _ := strings.Cut(word, ":")
		n, _ := strconv.Atoi(number)
		sides = append(sides, side{c, kinds[name], args, args[i], n})
	}
	return sides
}

// name is that of a handle, or of an address in memory that has one; of other numbers it is the number.
func (c *conversation) name(v uintptr) string {
	for i, h := range slices.Backward(c.handles) {
		switch {
		case v == h.at:
			return fmt.Sprintf("#%d", i+1)
		case v > h.at && v < h.at+h.size:
			return fmt.Sprintf("#%d+%d", i+1, v-h.at)
		}
	}
	return fmt.Sprint(v)
}

// meet returns the name of a handle that a library has given, of memory the size with it.
func (c *conversation) meet(v, size uintptr) string {
	if v == 0 {
		return "0"
	}
	i := slices.IndexFunc(c.handles, func(h handle) bool { return h.at == v })
	if i < 0 {
		i, c.handles = len(c.handles), append(c.handles, handle{at: v})
	}
	c.handles[i].size = max(size, c.handles[i].size)
	return fmt.Sprintf("#%d", i+1)
}

// handle is what stands for a handle in a replay, far from others, so that addresses behind it are told from theirs; nil for none.
func (c *conversation) handle(name string) *handle {
	var n int
	if _, err := fmt.Sscanf(name, "#%d", &n); err != nil {
		return nil
	}
	for len(c.handles) < n {
		c.handles = append(c.handles, handle{1<<52 | uintptr(len(c.handles))<<40, 1 << 40})
	}
	return &c.handles[n-1]
}
