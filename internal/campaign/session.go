package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
)

// Session predicts kernels for one caller, many times: it keeps the files that it has loaded until they change, and the models of profiles.
// It is not safe for concurrent use.
type Session struct {
	Files   frontend.Options
	Profile func() (string, error) // the profile where a question names none

	loaded     map[string]*kept
	predictors map[[2]string]*Predictor // by profile and model
}

// kept are the kernels of a file as it was.
type kept struct {
	*loaded
	changed time.Time
	size    int64
}

// maxKept is the number of loaded kernels at sizes after which a file is loaded anew: kernels that depend on their launch are loaded once for each size.
const maxKept = 4096

// Question asks for the times of the kernels of a file, FILE or FILE#KERNEL, at sizes.
type Question struct {
	Kernel  string `json:"kernel"`
	Sizes   Sizes  `json:"sizes"`
	Profile string `json:"profile,omitempty"`
	Model   string `json:"model,omitempty"`

	// How kernel functions are launched, as by the flags of the commands.
	Local  string   `json:"local,omitempty"`
	Global string   `json:"global,omitempty"`
	Groups string   `json:"groups,omitempty"`
	Shared string   `json:"shared,omitempty"`
	Assume []string `json:"assume,omitempty"`

	// Only is "seconds" where nothing but the times is of interest.
	Only string `json:"only,omitempty"`
}

// files are the options by which the file is read.
func (q *Question) files(o frontend.Options) frontend.Options {
	o.Local, o.Global, o.Groups, o.Shared, o.Assume = q.Local, q.Global, q.Groups, q.Shared, q.Assume
	return o
}

// Sizes are given as one object, or as a list of several.
type Sizes []map[string]int64

// UnmarshalJSON reads both.
func (s *Sizes) UnmarshalJSON(text []byte) error {
	if strings.HasPrefix(string(text), "{") {
		*s = make(Sizes, 1)
		return json.Unmarshal(text, &(*s)[0])
	}
	return json.Unmarshal(text, (*[]map[string]int64)(s))
}

// Predict answers with a summary for each kernel at each of the sizes. What the device does not run has no time, and is an error where it is the only one.
func (s *Session) Predict(ctx context.Context, q Question) ([]Summary, error) {
	l, err := s.load(ctx, &q)
	if err != nil {
		return nil, err
	}
	if q.Sizes == nil { // those of a launch file, or none
		q.Sizes = Sizes{nil}
	}
	cases, err := l.cases(ctx, q.Sizes)
	if err != nil {
		return nil, err
	}
	p, err := s.Predictor(q.Profile, q.Model)
	if err != nil {
		return nil, err
	}
	out := make([]Summary, len(cases))
	for i, c := range cases {
		switch verdict, err := p.refused(c, true); {
		case err != nil:
			return nil, err
		case verdict != nil && len(cases) == 1:
			return nil, fmt.Errorf("%s %s cannot run: %w", c.Label, format.Sizes(c.Sizes), verdict)
		case verdict != nil:
			out[i] = Summary{Script: c.Script, Kernel: c.Name, Device: p.Device.Name, At: c.Sizes, Status: string(verdict.Status), Error: verdict.Error()}
			continue
		}
		one, err := p.Predict(c)
		if err != nil {
			return nil, err
		}
		out[i] = p.summary(one)
	}
	return out, nil
}

// load returns the kernels that the user names, of the file as it is now.
func (s *Session) load(ctx context.Context, q *Question) (*loaded, error) {
	path, _, _ := strings.Cut(q.Kernel, "#")
	name := strings.Join(append([]string{q.Kernel, q.Local, q.Global, q.Groups, q.Shared}, q.Assume...), "\n")
	info, err := os.Stat(path)
	if err == nil {
		if k := s.loaded[name]; k != nil && k.changed.Equal(info.ModTime()) && k.size == info.Size() && len(k.wrapped) < maxKept {
			return k.loaded, nil
		}
	}
	l, err := load(ctx, q.files(s.Files), []string{q.Kernel})
	if err == nil && info != nil {
		if s.loaded == nil {
			s.loaded = map[string]*kept{}
		}
		s.loaded[name] = &kept{l, info.ModTime(), info.Size()}
	}
	return l, err
}

// Predictor is a model of a profile; without a name, its only one.
func (s *Session) Predictor(profileName, model string) (p *Predictor, err error) {
	key := [2]string{profileName, model}
	if p = s.predictors[key]; p != nil {
		return p, nil
	}
	path := profileName
	if path == "" {
		if path, err = s.Profile(); err != nil {
			return nil, err
		}
	}
	profile, err := LoadProfile(path)
	if err != nil {
		return nil, err
	}
	if names := profile.Names(); model == "" && len(names) == 1 {
		model = names[0]
	} else if model == "" {
		return nil, inputf("profile %s holds several models; name one: \"model\"", filepath.Base(path))
	}
	calibration, err := CalibrationOf(profile, model)
	if err != nil {
		return nil, err
	}
	if p, err = PredictorOf(profile, calibration); err == nil {
		if s.predictors == nil {
			s.predictors = map[[2]string]*Predictor{}
		}
		s.predictors[key] = p
	}
	return p, err
}
