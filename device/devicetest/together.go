package devicetest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
)

// Together calls a function for each number below n, side by side, with a device for it. What they run there is built as one program, as soon as all that are
// not done have something to run: to build a program costs a compiler ten times as much as a function in it.
func Together(dev device.Device, n int, f func(i int, on device.Device)) {
	m := &meeting{dev: dev, busy: n, programs: map[string]*part{}}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			defer m.leave()
			f(i, together{dev, m})
		})
	}
	all.Wait()
}

// together is the device of one that takes part.
type together struct {
	device.Device
	meeting *meeting
}

func (d together) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	c := &call{ctx: ctx, job: job, done: make(chan struct{})}
	d.meeting.join(c)
	<-c.done
	return c.result, c.err
}

// meeting is of calls that wait for each other.
type meeting struct {
	sync.Mutex
	dev      device.Device
	busy     int // how many may still call
	waiting  []*call
	programs map[string]*part // that were built, by their own text and options
}

type call struct {
	ctx    context.Context
	job    device.Job
	result *device.Result
	err    error
	done   chan struct{}
}

// part is a text in a program, in which its functions have other names.
type part struct {
	program *strings.Builder
	suffix  string
}

func (m *meeting) join(c *call) {
	m.Lock()
	defer m.Unlock()
	m.waiting = append(m.waiting, c)
	m.busy--
	m.run()
}

func (m *meeting) leave() {
	m.Lock()
	defer m.Unlock()
	m.busy--
	m.run()
}

// run runs the calls if there is nobody to wait for.
func (m *meeting) run() {
	if m.busy > 0 {
		return
	}
	program := map[string]*strings.Builder{}
	for _, c := range m.waiting {
		key := keyOf(c.job)
		if m.programs[key] != nil || !joinable(c.job) {
			continue
		}
		wants := extensions.FindAllString(c.job.Source, -1)
		slices.Sort(wants)
		alike := c.job.CompilerOptions() + strings.Join(slices.Compact(wants), "")
		text := program[alike]
		if text == nil {
			text = &strings.Builder{}
			program[alike] = text
		}
		p := &part{text, fmt.Sprintf("_part_%d", len(m.programs))}
		m.programs[key] = p
		p.write(c.job.Source)
	}
	for _, c := range m.waiting {
		job := c.job
		if p := m.programs[keyOf(job)]; p != nil {
			job = p.job(job)
		}
		c.result, c.err = m.dev.Run(c.ctx, job)
		close(c.done)
	}
	m.busy, m.waiting = len(m.waiting), nil
}

func keyOf(job device.Job) string { return job.CompilerOptions() + "\n" + job.Source }

// joinable reports that a text can stand beside others: it has no types or variables, which would have the names of others.
func joinable(job device.Job) bool {
	return job.Expect == nil && job.Image == nil && !job.Named && len(job.Variables) == 0 && !types.MatchString(job.Source)
}

var (
	types = regexp.MustCompile(`\b(struct|union|enum|template)\b`)
	// What a text asks for may be refused: it stands beside those that ask for the same.
	extensions = regexp.MustCompile(`#pragma.*|\b(half|double)\b`)
	defined    = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)`)
	// Parameters may have one more pair of parentheses in them.
	function = regexp.MustCompile(`(\w+)\s*\((?:[^(){};]|\([^()]*\))*\)\s*\{`)
	words    = []string{"if", "while", "switch"} // before parentheses and a brace, too
)

// write appends a text to its program.
func (p *part) write(source string) {
	var names []string
	for _, m := range function.FindAllStringSubmatch(source, -1) {
		if slices.Contains(words, m[1]) {
			continue
		}
		names = append(names, m[1])
		fmt.Fprintf(p.program, "#define %s %s%s\n", m[1], m[1], p.suffix)
	}
	p.program.WriteString(source)
	p.program.WriteByte('\n')
	for _, m := range defined.FindAllStringSubmatch(source, -1) {
		names = append(names, m[1])
	}
	for _, name := range names {
		fmt.Fprintf(p.program, "#undef %s\n", name)
	}
}

func (p *part) job(job device.Job) device.Job {
	job.Source = p.program.String()
	job.Entry += p.suffix
	job.Then = slices.Clone(job.Then)
	for i := range job.Then {
		job.Then[i].Entry += p.suffix
	}
	return job
}
