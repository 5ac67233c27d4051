package calibrate

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuperf/internal/lists"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/internal/yamlfile"
	"gpuperf/samples"

	"github.com/goccy/go-yaml"
)

// ProfileVersion is the version of the format of profiles.
const ProfileVersion = 2

// ProfileSchema is the JSON schema of profiles.
//
//go:embed profile.schema.json
var ProfileSchema []byte

// Profile holds the fitted models of one device, each with its evidence and origin.
type Profile struct {
	Version int                 `yaml:"version"`
	Device  samples.Fingerprint `yaml:"device"`
	Roof    []Reached           `yaml:"roof,omitempty"` // each resource once
	Models  []Calibration       `yaml:"models"`
	Unread  []Unread            `yaml:"-"` // kept in the file, of no use to this program
}

// Unread is a calibration whose definition this program cannot read: another version made it.
type Unread struct {
	Calibration
	Err error
}

// Reached is the highest rate at which a measurement kernel that is made for it has used a resource of the device: no kernel is faster.
type Reached struct {
	Resource string  `yaml:"resource" json:"resource"` // "global memory", "float32 arithmetic", "launches"
	Rate     float64 `yaml:"rate" json:"rate"`         // per second
	Unit     string  `yaml:"unit" json:"unit"`         // "B/s", "op/s" or "launches/s"
	Kernel   string  `yaml:"kernel" json:"kernel"`
}

// Reach keeps a rate if it is higher than what was reached before.
func (p *Profile) Reach(r Reached) {
	i := slices.IndexFunc(p.Roof, func(o Reached) bool { return o.Resource == r.Resource })
	switch {
	case i < 0:
		p.Roof = append(p.Roof, r)
	case p.Roof[i].Rate < r.Rate:
		p.Roof[i] = r
	}
}

// Calibration is a fit, the model that was fitted, and where they come from.
type Calibration struct {
	Fit Fit `yaml:",inline"`

	Definition string `yaml:"definition"` // the text of the model file, so that predicting needs no other file
	Origin     Origin `yaml:"origin"`
}

// Origin says what a fit was made from.
type Origin struct {
	Date        time.Time `yaml:"date,omitempty"`
	Perf        string    `yaml:"perf,omitempty"`         // version of the program
	ModelFile   string    `yaml:"model_file,omitempty"`   // as the user named it
	ModelHash   string    `yaml:"model_hash,omitempty"`   // SHA-256 of its text, in hex
	SamplesFile string    `yaml:"samples_file,omitempty"` // as the user named it
	SamplesHash string    `yaml:"samples_hash,omitempty"`
	Cache       string    `yaml:"cache,omitempty"` // state of the caches before each trial: warm or cold; "" is not known
}

// Find returns the calibration of a model, nil where there is none.
func (p *Profile) Find(model string) *Calibration {
	i := slices.IndexFunc(p.Models, func(c Calibration) bool { return c.Fit.Model == model })
	if i < 0 {
		return nil
	}
	return &p.Models[i]
}

// Put adds a calibration, in place of an earlier one of the same model.
func (p *Profile) Put(c Calibration) {
	p.Unread = slices.DeleteFunc(p.Unread, func(u Unread) bool { return u.Fit.Model == c.Fit.Model })
	if old := p.Find(c.Fit.Model); old != nil {
		*old = c
		return
	}
	p.Models = append(p.Models, c)
}

// All lists the calibrations in the file, those last that this program cannot read.
func (p *Profile) All() []Calibration {
	all := slices.Clone(p.Models)
	for _, u := range p.Unread {
		all = append(all, u.Calibration)
	}
	return all
}

// LeaveOut moves the models that cannot be read, for the reason that unread gives, from Models to Unread.
func (p *Profile) LeaveOut(unread func(Calibration) error) {
	p.Models = slices.DeleteFunc(p.Models, func(c Calibration) bool {
		err := unread(c)
		if err != nil {
			p.Unread = append(p.Unread, Unread{c, err})
		}
		return err != nil
	})
}

// Warnings says which models are left out.
func (p *Profile) Warnings() (out []string) {
	return lists.Map(p.Unread, func(u Unread) string { return warning.OtherVersion.About("model "+u.Fit.Model, "%s", u.Reason()) })
}

// Reason says why the model is left out, and what to do.
func (u Unread) Reason() string {
	why, _, _ := strings.Cut(u.Err.Error(), "\n") // without the line of the file
	return fmt.Sprintf("left out of the profile, made by another version of the program: calibrate it again (%s)", why)
}

// Names lists the models of the profile that can be used, those left out that others of it are with the binary.
func (p *Profile) Names() []string {
	out := []string{}
	for _, c := range p.Models {
		if p.Find(c.Fit.BinaryOf) == nil {
			out = append(out, c.Fit.Model)
		}
	}
	return out
}

// LoadProfile reads a profile. A file that does not exist gives an error for which errors.Is(err, fs.ErrNotExist) holds.
func LoadProfile(path string) (*Profile, error) { return yamlfile.Load(path, ParseProfile) }

// profileKeys are all keys of the format, for suggestions on a misspelt one.
var profileKeys = []string{
	"version", "device", "roof", "resource", "models", "model", "refines", "binary_of", "prior", "spread", "cost", "left", "size", "reach", "row", "own", "features", "off", "parameters", "name", "value", "stderr", "unit", "at_bound", "rate",
	"rate_unit", "rows", "kernels", "freedom", "scale_by_output", "residual", "geomean_relative_error",
	"choice", "form", "reason", "candidates", "leave_kernel_out", "leave_ratio_out", "ratios", "score",
	"experiment", "ratio", "measured", "predicted", "overhead", "gmem", "onchip", "hidden",
	"cross_validation", "skipped", "by_kernel", "kernel", "points", "unseen", "from", "level", "inside", "half_width", "margin", "apart", "error", "shares", "log_spread", "misfit", "verdict", "status", "converged", "iterations", "evaluations", "starts", "condition",
	"covariance", "undetermined", "feature_range", "warnings", "definition", "origin", "date", "perf", "model_file", "model_hash",
	"samples_file", "samples_hash", "cache",
}

// parsed are the texts of profiles that this process has read last, by file, and what they hold: a command looks into its profile several times.
var parsed struct {
	sync.Mutex
	profiles map[string]read
}

type read struct {
	text    string
	profile *Profile
}

// ParseProfile reads the text of a profile. Its lists are the caller's own, what the models in it refer to is not to be changed. Errors are *source.Error.
func ParseProfile(file string, text []byte) (*Profile, error) {
	parsed.Lock()
	defer parsed.Unlock()
	known, ok := parsed.profiles[file]
	if !ok || known.text != string(text) {
		p, err := parseProfile(file, text)
		if err != nil {
			return nil, err
		}
		if parsed.profiles == nil {
			parsed.profiles = map[string]read{}
		}
		known = read{string(text), p}
		parsed.profiles[file] = known
	}
	own := *known.profile
	own.Roof, own.Models, own.Unread = slices.Clone(own.Roof), slices.Clone(own.Models), slices.Clone(own.Unread)
	return &own, nil
}

func parseProfile(file string, text []byte) (_ *Profile, err error) {
	defer throw.Catch(&err)
	root := throw.Get(yamlfile.Parse(file, text))
	checkVersion(root)
	p := new(Profile)
	throw.If(root.Decode(p, profileKeys...))
	unread := checkValues(root)
	p.LeaveOut(func(c Calibration) error { return unread[c.Fit.Model] })
	return p, nil
}

func checkVersion(root *yamlfile.Node) {
	pairs := throw.Get(root.Pairs())
	if root.Get("device") == nil && root.Get("models") == nil {
		panic(throw.Of(root.Errorf("this is no profile: it has neither device nor models").WithHint("perf calibrate writes profiles")))
	}
	for _, e := range pairs {
		if e.Key.Text != "version" {
			continue
		}
		v := throw.Get(e.Value.Int())
		if v != ProfileVersion {
			panic(throw.Of(e.Value.Errorf("a profile of version %d is not known", v).
				WithHint("this program reads version %d: calibrate again", ProfileVersion)))
		}
		return
	}
	panic(throw.Of(root.Errorf("the profile has no version").WithHint("this program reads version %d: calibrate again", ProfileVersion)))
}

// YAML returns the text of the profile, which ParseProfile reads back to the same profile.
func (p *Profile) YAML() ([]byte, error) {
	out := *p
	out.Version = ProfileVersion
	out.Models = p.All()
	return yaml.MarshalWithOptions(out, yaml.CustomMarshaler(quoted), yaml.UseLiteralStyleIfMultiline(true))
}

// MarshalYAML writes the definition as a literal block where possible.
func (c Calibration) MarshalYAML() (any, error) {
	type block string // not for quoted: the library writes it as a literal block, which reads back unchanged where plainBlock holds
	definition := any(c.Definition)
	if plainBlock(c.Definition) {
		definition = block(c.Definition)
	}
	return struct {
		Fit        Fit    `yaml:",inline"`
		Definition any    `yaml:"definition"`
		Origin     Origin `yaml:"origin"`
	}{c.Fit, definition, c.Origin}, nil
}

// plainBlock reports whether text consists of complete lines, none empty or ending in a space, and does not begin with a space.
func plainBlock(s string) bool {
	body, ended := strings.CutSuffix(s, "\n")
	if !ended || strings.HasPrefix(body, " ") {
		return false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line == "" || strings.HasSuffix(line, " ") || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			return false
		}
	}
	return true
}

// quoted writes all other text in double quotes with escapes, unless it is words.
func quoted(s string) ([]byte, error) {
	if words.MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return []byte(s), nil
	}
	return json.Marshal(s)
}

var words = regexp.MustCompile(`^[A-Za-z][A-Za-z_]*( [A-Za-z][A-Za-z_]*)*$`)

// Save writes the profile, replacing an old one whole.
func (p *Profile) Save(path string) error {
	text, err := p.YAML()
	if err != nil {
		return err
	}
	return replace.Bytes(path, text)
}
