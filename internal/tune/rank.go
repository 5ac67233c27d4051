package tune

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/search"
	"gpuperf/workload"
)

// Ranking predicts all configurations of a target, or a part of them, and keeps the fastest. It needs no device, and the memory that it takes does not
// grow with the number of configurations.
type Ranking struct {
	Target    Target
	Predictor *campaign.Predictor
	Sizes     map[string]int64
	Hash      string // of the file of the target: a table of another text is not continued
	Index     int    // of this part, from 0
	Parts     int    // 0 is 1
	Top       int    // configurations to keep; 0 is 10
	All       bool   // predict all configurations; otherwise only those that may be among the fastest
	// Table is a file with a line for each configuration; "" is none. One that holds some already, of a ranking that was stopped, is continued.
	Table string
	// Final, if not nil, tells the time of a kernel in place of the predictor, and takes long. It is asked of the finalists alone.
	Final *Final
	// Progress, if not nil, is told now and then how many are done.
	Progress func(done int)
}

// Ranked is what a ranking has found.
type Ranked struct {
	File           string           `json:"file"`
	Sizes          map[string]int64 `json:"at"`
	Model          string           `json:"model"`
	Device         string           `json:"device"`
	Part           string           `json:"part"`
	Hash           string           `json:"hash"`          // of the file and the fitted model
	Top            int              `json:"top,omitempty"` // so many are wanted, and others need not be predicted; 0 where all are
	Configurations int              `json:"configurations"`
	Refused        int              `json:"refused"` // that the device would not run, or that have no kernel
	Bounded        int              `json:"bounded"` // that were not predicted, as bounds of their times show that they are not among the best
	Finalists      int              `json:"finalists,omitempty"`
	Final          string           `json:"final,omitempty"`    // what told the times of the finalists, which the best are of; "" where there are none
	Timeless       []RankedConfig   `json:"timeless,omitempty"` // finalists of which that knows no time
	Continued      int              `json:"continued"`          // that the table held already
	Best           []RankedConfig   `json:"best"`
	Table          string           `json:"table,omitempty"`
}

// RankedConfig is a line of the table.
type RankedConfig struct {
	Configuration string  `json:"configuration"`
	Seconds       float64 `json:"seconds,omitempty"` // predicted; 0 where it is refused
	Lo            float64 `json:"lo,omitempty"`      // of the interval, of a configuration that is one kernel
	Hi            float64 `json:"hi,omitempty"`
	AtLeast       float64 `json:"at_least,omitempty"` // seconds that it takes at least, where it was not predicted
	Refused       string  `json:"refused,omitempty"`  // why
}

// rankTogether is the number of configurations that are predicted at once.
const rankTogether = 128

// Run predicts.
func (r Ranking) Run(ctx context.Context) (out *Ranked, err error) {
	r.Parts, r.Top = max(r.Parts, 1), cmp.Or(r.Top, 10)
	listed := r.Top
	if r.Final != nil {
		r.Top = max(r.Top, mostFinalists)
	}
	out = &Ranked{
		File: r.Target.Name(), Sizes: r.Sizes, Model: r.Predictor.Model.Name, Device: r.Predictor.Device.Name,
		Part: fmt.Sprintf("%d/%d", r.Index, r.Parts), Best: []RankedConfig{}, Table: r.Table,
	}
	fit, err := json.Marshal(r.Predictor.Fit)
	if err != nil {
		return nil, err
	}
	out.Hash = fmt.Sprintf("%x", sha256.Sum256(append(fit, r.Hash...)))[:16]
	if !r.All {
		out.Top = r.Top
	}
	table, err := openTable(r.Table, out, r.Top)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, table.close()) }()
	skip := out.Continued
	var list []search.Config
	flush := func() error {
		lines, err := r.lines(ctx, list, out)
		if err != nil {
			return err
		}
		for _, l := range lines {
			out.enter(l, r.Top)
		}
		list = list[:0]
		if r.Progress != nil {
			r.Progress(out.Configurations)
		}
		return table.write(lines)
	}
	for c := range search.Part(r.Target.Space(), r.Index, r.Parts) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if skip > 0 {
			skip--
			continue
		}
		if list = append(list, c); len(list) == rankTogether {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err = flush(); err == nil && r.Final != nil {
		err = r.final(ctx, out, listed)
	}
	return out, err
}

// enter counts a configuration, and keeps it where it is among the fastest; of those that are as fast, the first come first.
func (out *Ranked) enter(l RankedConfig, top int) {
	out.Configurations++
	switch {
	case l.Refused != "":
		out.Refused++
		return
	case l.AtLeast > 0:
		out.Bounded++
		return
	}
	at := len(out.Best)
	for at > 0 && out.Best[at-1].Seconds > l.Seconds {
		at--
	}
	if at < top {
		out.Best = slices.Insert(out.Best, at, l)
		out.Best = out.Best[:min(len(out.Best), top)]
	}
}

// lines predicts configurations: all of them, or those that may be among the fastest of what has been found.
func (r Ranking) lines(ctx context.Context, list []search.Config, found *Ranked) ([]RankedConfig, error) {
	lines := make([]RankedConfig, len(list))
	kernels := make([][]Counted, len(list))
	for i, c := range list {
		lines[i].Configuration = c.String()
	}
	fastest := campaign.Shortlist{Top: found.Top}
	for _, l := range found.Best {
		fastest.Known(l.Seconds)
	}
	counted := func(i int) (err error) {
		if kernels[i] == nil && lines[i].Refused == "" {
			if kernels[i], err = r.Target.Counted(ctx, list[i]); err == nil && len(kernels[i]) == 0 {
				err = errors.New("it has no kernel")
			}
		}
		return err
	}
	bounds, err := fastest.Predict(len(list), func(i int) (least float64) {
		if counted(i) != nil {
			return 0
		}
		return lists.Sum(kernels[i], func(one Counted) float64 { return one.Times * r.Predictor.Least(one.Case) })
	}, func(i int) (float64, error) {
		err := counted(i)
		for _, one := range kernels[i] {
			if err == nil {
				err = r.add(&lines[i], one, len(kernels[i]) == 1)
			}
		}
		kernels[i] = nil
		if err != nil {
			lines[i] = RankedConfig{Configuration: lines[i].Configuration, Refused: source.Message(err)}
			return math.NaN(), ctx.Err()
		}
		return lines[i].Seconds, ctx.Err()
	})
	for i, bound := range bounds {
		lines[i].AtLeast = bound
	}
	return lines, err
}

// add adds the predicted time of a kernel of a configuration.
func (r Ranking) add(line *RankedConfig, one Counted, alone bool) error {
	_, refused, err := r.Predictor.Runnable([]*workload.Case{one.Case})
	if err == nil && len(refused) > 0 {
		err = errors.New(refused[0].Reason)
	}
	if err != nil {
		return err
	}
	p, err := r.Predictor.Predict(one.Case)
	if err != nil {
		return err
	}
	line.Seconds += one.Times * p.Seconds
	if hi := one.Times * p.Interval[1]; alone && !math.IsInf(hi, 0) {
		line.Lo, line.Hi = one.Times*p.Interval[0], hi
	}
	return nil
}

// table is the file of a ranking; the zero value is none.
type table struct{ file *os.File }

// openTable opens the table, reads what an interrupted ranking of the same has left, and begins anew where it was another.
func openTable(path string, out *Ranked, top int) (*table, error) {
	if path == "" {
		return &table{}, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	head := *out
	head.Best, head.Table = nil, ""
	header, err := json.Marshal(head)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	end, err := out.restore(f, header, top)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err == nil && end == 0 {
		_, err = f.Write(append(header, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &table{f}, nil
}

// restore reads the whole lines of a table with the header, and returns where they end; without it, 0.
func (out *Ranked) restore(f io.Reader, header []byte, top int) (end int64, err error) {
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return end, nil
		} else if err != nil {
			return 0, err
		}
		if end == 0 {
			if !bytes.Equal(bytes.TrimSpace(line), header) {
				return 0, nil
			}
		} else {
			var l RankedConfig
			if json.Unmarshal(line, &l) != nil || l.Configuration == "" {
				return end, nil
			}
			out.enter(l, top)
			out.Continued++
		}
		end += int64(len(line))
	}
}

func (t *table) write(lines []RankedConfig) error {
	if t.file == nil {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, l := range lines {
		if err := encoder.Encode(l); err != nil {
			return err
		}
	}
	_, err := t.file.Write(text.Bytes())
	return err
}

func (t *table) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// Write prints the fastest.
func (out *Ranked) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s predicted%s by %s", out.File, format.Count(out.Configurations-out.Refused-out.Bounded, "configuration"), out.forDevice(), out.Model)
	if out.Bounded > 0 {
		fmt.Fprintf(w, ", %d slower by bounds of their times", out.Bounded)
	}
	if out.Refused > 0 {
		fmt.Fprintf(w, ", %d refused", out.Refused)
	}
	if !strings.HasSuffix(out.Part, "/1") {
		fmt.Fprintf(w, ", part %s", out.Part)
	}
	fmt.Fprint(w, "\n", out.finalText())
	t := format.NewTable(">rank", ">predicted", ">90 % interval", "configuration")
	for i, l := range out.Best {
		interval := "-"
		if l.Hi > 0 {
			interval = format.Seconds(l.Lo) + " – " + format.Seconds(l.Hi)
		}
		t.Row(fmt.Sprint(i+1), format.Seconds(l.Seconds), interval, l.Configuration)
	}
	return t.Write(w)
}
