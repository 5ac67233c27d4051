package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestHostileInputs: each command ends in less than a gigabyte, by an error that names the limit. Hostile scripts are tests
// of kernel/script.
func TestHostileInputs(t *testing.T) {
	repeat := func(n int, separator, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(format, "%", fmt.Sprint(i))
		}
		return strings.Join(parts, separator)
	}
	model := func(expression string) string {
		return "version: 1\nname: m\noutput: f_t\nexpression: " + expression + "\nparameters:\n  p_a: {}\n"
	}
	program := func(body string) string {
		return "program d\nsize n\nfun(xs: [float32]n => " + body + ")\n"
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 300 {
		z.Write(bytes.Repeat([]byte("\n"), 1<<20))
	}
	z.Close()
	for i, c := range []struct {
		name string
		text string   // of the file F
		args []string // F is the file, TEXT its text
		want string   // in the error
	}{
		{"many dimensions", "{ [" + repeat(10000, ",", "0") + "] }", []string{"card", "TEXT"}, `more than 256 names in a list`},
		{"many parameters", "[" + repeat(300, ",", "n%") + "] -> { [i] : 0 <= i < n0 }", []string{"card", "TEXT"}, `more than 256 names in a list`},
		{"many quantified", "{ [i] : exists (" + repeat(300, ",", "e%") + ": i = e0) }", []string{"card", "TEXT"}, `more than 256 names in a list`},
		{"nested set", "{ [i] : " + strings.Repeat("(", 50000) + "}", []string{"card", "TEXT"}, `nested more than 200 deep`},
		{"large coefficients", "[n] -> { [i,j] : 0 <= 1073741823i <= 1073741827j and 0 <= 1073741789j < 1073741783n }", []string{"card", "TEXT"}, `work limit exceeded .--limit|more than 512 MB`},
		{"many disjuncts", "[n] -> { [i] : " + repeat(200, " or ", "3*%*n <= i <= 3*%*n + n + %") + " }", []string{"card", "TEXT", "--timeout", "1s"}, `takes more than 1s|work limit exceeded`},
		{"many tuples", "[n] -> { " + repeat(5000, "; ", "A%[i] : % <= i < n") + " }", []string{"card", "TEXT", "--timeout", "1s"}, `takes more than 1s`},
		{"huge script", "# " + strings.Repeat("x", 1<<20), []string{"show", "F"}, `more than 262144 bytes`},
		{"huge program", "# " + strings.Repeat("x", 1<<20), []string{"lift", "show", "F"}, `more than 262144 bytes`},
		{"endless script", "", []string{"count", "/dev/zero"}, `more than 262144 bytes`},
		{"endless model", "", []string{"fit", "/dev/zero", "--data", "F"}, `more than 2097152 bytes`},
		{"endless listing", "", []string{"sass", "/dev/zero"}, `more than 67108864 bytes`},
		{"listing of jumps", "Function : f\n" + repeat(400000, "\n", "/*100%*/ @P0 BRA 0x1000 ;"), []string{"sass", "F"}, `loops are not looked for`},
		{"nested program", program(strings.Repeat("(", 100000)), []string{"lift", "show", "F"}, `nested more than 200 deep`},
		{"composed program", program(repeat(7000, " o ", "map(fun(x => x + 1))") + " $ xs"), []string{"lift", "derive", "F"}, `nested more than 200 deep`},
		{"many keys", repeat(100000, "\n", "k%: 1"), []string{"fit", "F", "--data", "F"}, `more than 16384 keys`},
		{"nested list", strings.Repeat("[", 100000), []string{"evaluate", "F"}, `more than 64 brackets`},
		{"nested profile", strings.Repeat("[", 100000), []string{"predict", "../../examples/matmul/matmul.star", "-p", "n=64", "--profile", "F"}, `more than 64 brackets`},
		{"nested model", model(strings.Repeat("(", 100000) + "p_a"), []string{"fit", "F", "--data", "F"}, `longer than 65536 bytes`},
		{"huge table", strings.Repeat("x", 65<<20), []string{"fit", "linear", "--data", "F"}, `more than 67108864 bytes`},
		{"long record", strings.Repeat("x", 33<<20), []string{"fit", "../../examples/matmul/peak_madd.yaml", "--data", "F"}, `more than 32 MB`},
		{"blank records", strings.Repeat("\n", 50<<20), []string{"fit", "../../examples/matmul/peak_madd.yaml", "--data", "F"}, `holds no sample`},
		{"compressed", bomb.String(), []string{"fit", "../../examples/matmul/peak_madd.yaml", "--data", "F"}, `more than 256 MB`},
	} {
		if os.Getenv("LONG") == "" && i%6 > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			name := "f.jsonl"
			if strings.HasSuffix(c.name, "script") { // which is told from other files by its name
				name = "f.star"
			}
			file := filepath.Join(t.TempDir(), name)
			if c.args[0] == "fit" && c.name == "huge table" {
				file = strings.TrimSuffix(file, "jsonl") + "csv"
			}
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			args := make([]string, len(c.args))
			for i, a := range c.args {
				args[i] = strings.NewReplacer("TEXT", c.text).Replace(a)
				if a == "F" {
					args[i] = file
				}
			}
			cmd := exec.Command("perf", args...)
			cmd.Env = append(os.Environ(), "GOGC=", "GOMEMLIMIT=", peakFile+"="+file+".status") // make test collects garbage rarely; a user's program does not
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			cmd.Run()
			if !regexp.MustCompile(c.want).Match(stderr.Bytes()) {
				t.Errorf("%.500s\nis not\n%s", stderr.Bytes(), c.want)
			}
			status, _ := os.ReadFile(file + ".status")
			peak := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
			if peak == nil {
				t.Fatalf("nothing is known of its memory:\n%s", stderr.Bytes())
			}
			mb, err := strconv.Atoi(string(peak[1]))
			if err != nil {
				t.Fatal(err)
			}
			mb >>= 10
			if mb > 1024 {
				t.Errorf("took %d MB", mb)
			}
		})
	}
}
