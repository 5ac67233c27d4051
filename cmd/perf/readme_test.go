package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device/opencl"
	"gpuperf/internal/golden"
	"gpuperf/internal/roofline"
)

// TestReadme runs the sessions of the documents, fenced as console, and compares what they print on standard output; CONTRIBUTING.md says
// how they are written. UPDATE=1 writes the outputs there.
func TestReadme(t *testing.T) {
	devices, _ := new(opencl.Backend).Devices()
	for _, path := range documents(t) {
		t.Run(strings.TrimPrefix(path, "../../"), func(t *testing.T) {
			t.Parallel()
			p := &page{T: t, folder: userFolder(t), device: len(devices) > 0}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, path, p.replay(string(before)))
		})
	}
}

// TestReadmeIsShort: who wants to know more follows its links.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if n := len(strings.Fields(string(text))); err != nil || n > 900 {
		t.Errorf("README.md has %d words, more than 900 (%v)", n, err)
	}
}

// The picture of the README is the roofline of what it says.
func TestReadmePicture(t *testing.T) {
	var out, messages bytes.Buffer
	args := []string{"rank", "--roofline", "--json", "--profile", "h200", "-p", "n=2816", "../../examples/matmul/matmul.star", "../../examples/matmul/matmul_prefetch.star"}
	if status := run(t.Context(), args, strings.NewReader(""), &out, &messages); status != 0 {
		t.Fatal(messages.String())
	}
	var all struct {
		Ranking []struct {
			Script   string             `json:"script"`
			Roofline *roofline.Roofline `json:"roofline"`
		} `json:"ranking"`
	}
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	var kernels []roofline.Named
	for _, k := range all.Ranking {
		kernels = append(kernels, roofline.Named{Name: filepath.Base(k.Script), Roofline: k.Roofline})
	}
	golden.Check(t, "../../docs/roofline.svg", roofline.Chart(kernels).SVG())
}

func documents(t *testing.T) []string {
	list := []string{"../../README.md"}
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			list = append(list, path)
		}
		return err
	})
	if err != nil || len(list) < 5 {
		t.Fatal(list, err)
	}
	return list
}

// userFolder is a new folder that looks like a clone to the commands of a page, in which they may write files.
func userFolder(t *testing.T) string {
	folder := t.TempDir()
	for _, name := range []string{"examples", "testdata"} {
		target, err := filepath.Abs("../../" + name)
		if err == nil {
			err = os.Symlink(target, filepath.Join(folder, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// page is a document whose commands are run in a folder.
type page struct {
	*testing.T
	folder string
	device bool // there is one to measure on
}

// block matches a fenced block with the comment above it, or one line that is indented as code.
var block = regexp.MustCompile("(?ms)^(?:<!-- ([^\n]*) -->\n)?```(\\w*)\n(.*?)^```\n|^    ([^\n]*)\n")

// replay returns the text of the page with the outputs of its sessions as they are now.
func (p *page) replay(text string) string {
	return block.ReplaceAllStringFunc(text, func(all string) string {
		m := block.FindStringSubmatch(all)
		note, language, body, line := m[1], m[2], m[3], m[4]
		name, isFile := strings.CutPrefix(note, "file: ")
		switch {
		case isFile:
			p.write(name, body)
		case language == "console" && (os.Getenv("LONG") != "" || !says(note, "lasts")):
			return strings.Replace(all, body, p.session(note, body), 1)
		default:
			p.check(body + line)
		}
		return all
	})
}

// says reports whether a comment above a block has the note.
func says(comment, note string) bool { return slices.Contains(strings.Split(comment, ", "), note) }

// check parses the commands of a text that are not run.
func (p *page) check(text string) {
	for line := range strings.Lines(text) {
		if err := check(line); err != nil {
			p.Errorf("%s: %v", strings.TrimSpace(line), err)
		}
	}
}

func (p *page) write(name, text string) {
	path := filepath.Join(p.folder, name)
	if !filepath.IsLocal(name) {
		p.Errorf("file %s is not in the folder of the page", name)
	} else if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Error(err)
	} else if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.Error(err)
	}
}

// session runs the commands of a session and returns it with their outputs. One whose figures vary stays as it is while the lines of its
// outputs begin with the same words; it is not run where there is no device.
func (p *page) session(note, before string) string {
	vary := says(note, "figures vary")
	if vary && !p.device {
		p.Logf("no OpenCL device here, a session is skipped:\n%s", before)
		return before
	}
	var after bytes.Buffer
	for line := range strings.Lines(before) {
		call, isCall := strings.CutPrefix(line, "$ ")
		if !isCall {
			continue
		}
		after.WriteString(line)
		p.run(call, &after, says(note, "fails"))
	}
	if vary && structure(before).MatchString(after.String()) {
		return before
	}
	return after.String()
}

// run runs a command of a session; one that ends in 2>&1 shows standard error as well.
func (p *page) run(line string, out *bytes.Buffer, fails bool) {
	line, both := strings.CutSuffix(strings.TrimSpace(line), " 2>&1")
	args := words(line)
	if len(args) == 0 || args[0] != "perf" {
		p.Errorf("a session runs perf alone, not %s", line)
		return
	}
	env := append(os.Environ(), "PWD="+p.folder, "PERF_DATA="+filepath.Join(p.folder, "data"))
	done, err := call{Args: args[1:], Dir: p.folder, Env: env, Both: both}.do()
	if err != nil {
		p.Fatal(err)
	}
	out.WriteString(done.Stdout)
	if (done.Status != 0) != fails {
		p.Errorf("%s: status %d\n%s", line, done.Status, done.Stderr)
	}
}

// structure matches outputs whose lines begin with the same words, whatever numbers and device they tell; "..." stands for any lines.
func structure(session string) *regexp.Regexp {
	text := "^"
	for line := range strings.Lines(session) {
		switch first := strings.Fields(strings.TrimLeft(line, " ~") + " .")[0]; { // ~ marks ranks
		case strings.TrimSpace(line) == "...":
			text += `(.*\n)*`
		case strings.ContainsAny(first[:1], "0123456789"):
			text += `[\s~]*\d.*\n`
		case first == ".":
			text += `\s*\n`
		default:
			text += `\s*` + regexp.QuoteMeta(first) + `(\s.*)?\n`
		}
	}
	return regexp.MustCompile(text + "$")
}

// behind is a comment behind a command, or what its output is piped to.
var behind = regexp.MustCompile(` [#|] .*`)

// check parses a command that stands outside of sessions: commands and flags must be there, and the number of arguments right.
func check(line string) error {
	args := words(strings.TrimSuffix(behind.ReplaceAllString(strings.TrimPrefix(strings.TrimRight(line, " \n"), "$ "), ""), " 2>&1"))
	if len(args) == 0 || args[0] != "perf" {
		return nil
	}
	cmd, rest, err := newRoot().Find(args[1:])
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	switch asked, _ := cmd.Flags().GetBool("help"); {
	case asked:
		return nil
	case cmd.HasSubCommands() && cmd.Flags().NArg() > 0:
		return fmt.Errorf("%s has no command %s", cmd.CommandPath(), cmd.Flags().Arg(0))
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// words splits a command as a shell does that knows single and double quotes alone.
func words(line string) []string {
	var all []string
	for _, part := range regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`).FindAllString(line, -1) {
		if slices.Contains([]string{"'", `"`}, part[:1]) {
			part = part[1 : len(part)-1]
		}
		all = append(all, part)
	}
	return all
}

// TestDocumentsAreChecked shows that mistakes in documents are found.
func TestDocumentsAreChecked(t *testing.T) {
	const session = "$ perf x\nrank  kernel\n   1  rows   3.2 µs\n...\nresidual 0.1\n"
	for output, same := range map[string]bool{
		"$ perf x\nrank  kernel  sizes\n   1  tiles  12 ms\nresidual 0.2\n":                  true,
		"$ perf x\nrank  kernel  sizes\n ~ 1  tiles  12 ms\n   2  rows  13 ms\nresidual 0\n": true,
		"$ perf x\nrank  kernel  sizes\n   1  tiles  12 ms\nconverged\n":                     false,
		"$ perf x\nkernel  sizes\n   1  tiles  12 ms\nresidual 0.2\n":                        false,
	} {
		if structure(session).MatchString(output) != same {
			t.Errorf("%q: want %v", output, same)
		}
	}
	if diff := cmp.Diff([]string{"perf", "x y", "z w", "n=1"}, words(`perf 'x y' "z w" n=1`)); diff != "" {
		t.Error(diff)
	}
	for call, right := range map[string]bool{
		"perf rank a.star b.star -p n=4096 --top 3 # the best": true, "perf lift --help": true, "make demo": true,
		"perf rank": false, "perf rnak a.star": false, "perf lift rnak a.lift": false, "perf rank a.star --tpo 3": false, "perf show": false,
	} {
		if err := check(call); (err == nil) != right {
			t.Errorf("%s: %v", call, err)
		}
	}
}

var (
	linkTo  = regexp.MustCompile(`\]\(([^)\s:]*)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	// in indented code, `[T](n)` is no link
	indented = regexp.MustCompile(`(?m)^    .*$`)
	noSlug   = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// TestLinks: what a document links to in the repository is there, down to the heading.
func TestLinks(t *testing.T) {
	headings := func(text string) (slugs []string) {
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			slugs = append(slugs, strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
		}
		return slugs
	}
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range linkTo.FindAllStringSubmatch(indented.ReplaceAllString(string(text), ""), -1) {
			file, place, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", path, m[1])
			} else if place != "" {
				if there, err := os.ReadFile(target); err != nil || !slices.Contains(headings(string(there)), place) {
					t.Errorf("%s links to %s, a heading that is not there", path, m[1])
				}
			}
		}
	}
}
