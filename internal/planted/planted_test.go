// Package planted holds a test of the tests: mistakes are planted in the code, one at a time, and the tests of the package that has one must fail.
package planted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// mistake is lines of a file that others replace.
type mistake struct{ file, old, wrong, tests string }

// read reads the list: entries with an empty line between them, each with the file, the lines that stand there, after a -, and the wrong ones, after a +.
func read(t *testing.T) (list []mistake) {
	t.Helper()
	text, err := os.ReadFile("mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range strings.Split(string(text), "\n\n") {
		var m mistake
		for line := range strings.Lines(entry) {
			switch {
			case strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "-"):
				m.old += line[1:]
			case strings.HasPrefix(line, "+"):
				m.wrong += line[1:]
			default:
				m.file, m.tests, _ = strings.Cut(strings.TrimSpace(line), ": ")
			}
		}
		if m.file != "" {
			m.tests = cmp.Or(m.tests, filepath.Dir(m.file))
			list = append(list, m)
		}
	}
	return list
}

// planted is the file's text with the mistake.
func (m mistake) planted(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	old := strings.TrimSuffix(m.old, "\n")
	if n := strings.Count(string(text), old); n != 1 || m.old == m.wrong {
		t.Fatalf("%s has %q %d times: name lines that stand there once, and others to replace them", m.file, old, n)
	}
	return []byte(strings.Replace(string(text), old, strings.TrimSuffix(m.wrong, "\n"), 1))
}

// run runs a go command on the code with the mistake, which replaces the file for the compiler alone.
func (m mistake) run(t *testing.T, args ...string) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	wrong, overlay := filepath.Join(dir, filepath.Base(m.file)), filepath.Join(dir, "overlay.json")
	file, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: wrong}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{wrong: m.planted(t), overlay: replace} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return command(append([]string{args[0], "-overlay", overlay}, args[1:]...)...)
}

// command runs a go command as make test does: what that runs must see the mistakes.
func command(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "LONG=", "RAPID_CHECKS=20", "RAPID_SEED=1")
	return cmd.CombinedOutput()
}

// TestPlanted: the tests of each package, which pass without it, fail with each mistake that is planted in it. The tests
// are those of make test, though this one takes LONG=1: without it, it is only looked at that the texts of the list still stand in the code.
func TestPlanted(t *testing.T) {
	list := read(t)
	green := map[string]func() error{} // the tests of a package without a mistake, run once
	for _, m := range list {
		green[m.tests] = sync.OnceValue(func() error {
			if out, err := command("test", "-vet=off", "./"+m.tests); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
	}
	for _, m := range list {
		t.Run(strings.ReplaceAll(m.file, "/", ".")+" "+strings.TrimSpace(m.wrong), func(t *testing.T) {
			if os.Getenv("LONG") == "" {
				m.planted(t)
				return
			}
			t.Parallel()
			if out, err := m.run(t, "build", "./"+filepath.Dir(m.file)); err != nil {
				t.Fatalf("the code with the mistake does not compile: %s", out)
			}
			if err := green[m.tests](); err != nil {
				t.Fatalf("the tests of %s fail without a mistake, so that they show nothing: %v", m.tests, err)
			}
			if out, err := m.run(t, "test", "-vet=off", "-failfast", "./"+m.tests); err == nil {
				t.Errorf("no test of %s sees it: %s", m.tests, out)
			}
		})
	}
}
