package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"gpuperf/internal/lists"
)

// sentence is advice: a text, or of emulation an object with one.
type sentence string

// UnmarshalJSON reads either.
func (s *sentence) UnmarshalJSON(text []byte) error {
	var object struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(text, &object) == nil && object.Text != "" {
		*s = sentence(object.Text)
		return nil
	}
	return json.Unmarshal(text, (*string)(s))
}

// line is what takes time in a line of a source: an access, as explain prints it, or what sub-groups wait for there, as emulate does.
type line struct {
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Action  string  `json:"action"`
	Array   string  `json:"array"`
	Space   string  `json:"space"`
	Strides []int64 `json:"strides"`
	Data    bool    `json:"data"`
	Share   float64 `json:"share"`

	Place  string  `json:"place"`
	Part   float64 `json:"part"`
	Reason string  `json:"reason"`
}

// leastShare is the part of the time below which a line is not shown.
const leastShare = 0.01

// where is the line in its file.
func (l line) where() string {
	switch {
	case l.Place != "":
		return path.Base(l.Place)
	case l.Line == 0:
		return ""
	}
	return fmt.Sprintf("%s:%d", l.File, l.Line)
}

// access is what is accessed, and how far apart neighbours along the axes of a work-group access it.
func (l line) access() (what, apart string) {
	if l.Array == "" {
		return "", ""
	}
	what = fmt.Sprintf("%s of %s in %s memory", l.Action, l.Array, l.Space)
	if l.Data {
		return what, "as data says"
	}
	strides := l.Strides
	for len(strides) > 1 && strides[len(strides)-1] == 0 {
		strides = strides[:len(strides)-1]
	}
	return what, strings.Join(lists.Map(strides, func(n int64) string { return fmt.Sprintf("%d B", n) }), ", ")
}

// lines is a table of the lines that take the time of kernels.
func (s *Section) lines(all []kernel) {
	t := Table{Title: "where the time goes", Header: columns("kernel", "line", "access", "neighbours are apart", "sub-groups wait for", ">share of the time")}
	for _, k := range all {
		name := ""
		if len(all) > 1 {
			name = k.name()
		}
		for _, l := range k.Lines {
			if share := cmp.Or(l.Share, l.Part); share >= leastShare {
				what, apart := l.access()
				t.Rows = append(t.Rows, []Cell{text(name), text(l.where()), text(what), text(apart), text(l.Reason), percent(share)})
			}
		}
	}
	s.table(t)
}

// difference is what two kernels spend on the same.
type difference struct {
	What   string  `json:"what"`
	First  float64 `json:"first"`
	Second float64 `json:"second"`
	Where  string  `json:"where"`
}

// differences are tables of what explain prints of two kernels.
func (s *Section) differences(names []string, work, lines []difference) {
	for _, part := range []struct {
		title string
		list  []difference
	}{{"what differs", work}, {"accesses that differ", lines}} {
		t := Table{Title: part.title, Header: columns("what", ">"+names[0], ">"+names[1], ">difference", "line")}
		for _, d := range part.list {
			by := seconds(d.Second - d.First)
			if d.Second > d.First {
				by.Text = "+" + by.Text
			}
			t.Rows = append(t.Rows, []Cell{text(d.What), seconds(d.First), seconds(d.Second), by, text(d.Where)})
		}
		s.table(t)
	}
}
