package launchfile

import (
	"regexp"
	"slices"
	"strings"

	"gpuperf/internal/cname"
	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// cudaCode is a source in CUDA C: what its functions for the device hold, and what stands beside them.
type cudaCode struct {
	path, text string
	functions  []function
	rest       string // the text without them, and without comments and strings
}

// function is a function for the device, from its qualifier to the end of its body.
type function struct {
	first int // byte of the source
	code  string
	// kernel is its name, where it is a kernel.
	kernel string
}

var (
	// notCode are comments and text in CUDA C.
	notCode   = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"`)
	qualifier = regexp.MustCompile(`\b__(?:global|device)__\b`)
	called    = regexp.MustCompile(`\b(_?[A-Za-z]\w*)\s*\(`) // not __launch_bounds__
	hostCode  = regexp.MustCompile(`<<<|\bmain\s*\(`)
	wholeGrid = regexp.MustCompile(`\bthis_grid\s*\(`)
	waits     = regexp.MustCompile(`\bsync\s*\(`)
)

func blank(s string) string { return strings.Repeat(" ", len(s)) }

// newCUDA finds the functions of a source. Macros are not understood.
func newCUDA(path, text string) cudaCode {
	c := cudaCode{path: path, text: text}
	code := notCode.ReplaceAllStringFunc(text, blank)
	done := 0
	var rest strings.Builder
	for _, at := range qualifier.FindAllStringIndex(code, -1) {
		body := strings.IndexAny(code[at[0]:], "{;")
		if at[0] < done || body < 0 || code[at[0]+body] == ';' {
			continue
		}
		end := len(code)
		if n := lex.Closing(code[at[0]+body:], "{}"); n > 0 {
			end = at[0] + body + n
		}
		f := function{first: at[0], code: code[at[0]:end]}
		if name := called.FindStringSubmatch(f.code[:body]); code[at[0]:at[1]] == "__global__" && name != nil {
			f.kernel = name[1]
		}
		c.functions = append(c.functions, f)
		rest.WriteString(code[done:at[0]] + blank(f.code))
		done = end
	}
	c.rest = rest.String() + code[done:]
	return c
}

// unsupportedCode is what functions for the device hold, in CUDA C and in PTX, that no launch file can give them.
var unsupportedCode = []struct {
	what      string
	code, ptx *regexp.Regexp
	marks     []string // one of which all that ptx matches has
}{
	{
		"a launch from within a kernel", regexp.MustCompile(`<<<|\bcuda(?:LaunchDevice|GraphLaunch)\w*\s*\(`),
		regexp.MustCompile(`\bcuda(?:LaunchDevice|GraphLaunch)\w*`),
		[]string{"cudaLaunchDevice", "cudaGraphLaunch"},
	},
	{"a texture", regexp.MustCompile(`\bcudaTextureObject_t\b|\btex(?:[123]D|Cubemap)\w*\s*[<(]`), regexp.MustCompile(`\b(?:tex|tld4|txq)\.`), []string{"tex.", "tld4.", "txq."}},
	{"a surface", regexp.MustCompile(`\bcudaSurfaceObject_t\b|\bsurf(?:[123]D|Cubemap)\w*\s*[<(]`), regexp.MustCompile(`\b(?:suld|sust|sured|suq)\.`), []string{"suld.", "sust.", "sured.", "suq."}},
	{"a tensor map", regexp.MustCompile(`\bCUtensorMap\b`), regexp.MustCompile(`\.bulk\.\w*\.?tensor\b|\btensormap\.`), []string{".bulk.", "tensormap."}},
}

// entry begins a kernel in PTX.
var entry = regexp.MustCompile(`\.entry\s+([\w$]+)`)

// refusePTX refuses what launches of kernels in PTX need that is not supported.
func refusePTX(path, text string, launches []launch) {
	starts := entry.FindAllStringSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if name := text[at[2]:at[3]]; !slices.ContainsFunc(launches, func(l launch) bool { return l.kernel == name }) {
			continue
		}
		for _, u := range unsupportedCode {
			code := text[at[0]:end]
			if !slices.ContainsFunc(u.marks, func(m string) bool { return strings.Contains(code, m) }) { // images of megabytes, which take long to match
				continue
			}
			if found := u.ptx.FindStringIndex(code); found != nil {
				panic(throw.Of(source.New(path, text, at[0]+found[0], "%s is not supported", u.what)))
			}
		}
	}
}

// refuse refuses what launches need that is not supported. Functions that are no kernels may be called by any.
func (c cudaCode) refuse(launches []launch) {
	for _, f := range c.functions {
		at := slices.IndexFunc(launches, func(l launch) bool { return cname.Base(l.kernel) == f.kernel })
		if f.kernel != "" && at < 0 {
			continue
		}
		for _, u := range unsupportedCode {
			if found := u.code.FindStringIndex(f.code); found != nil {
				e := source.New(c.path, c.text, f.first+found[0], "%s is not supported", u.what)
				panic(throw.Of(e.WithHint("leave the function out of the file if the kernel does without it")))
			}
		}
		found := wholeGrid.FindStringIndex(f.code)
		if at >= 0 && found != nil && waits.MatchString(f.code) && !launches[at].attributes.cooperative {
			e := source.New(c.path, c.text, f.first+found[0], "the kernel waits for the whole grid, and its launch is not cooperative")
			panic(throw.Of(e.WithHint("write attributes: {cooperative: true} in the launch file")))
		}
	}
}

// host finds code for the host.
func (c cudaCode) host() *source.Error {
	if at := hostCode.FindStringIndex(c.rest); at != nil {
		return source.New(c.path, c.text, at[0], "the source has code for the host in it, which NVRTC does not compile")
	}
	return nil
}
