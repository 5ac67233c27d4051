package manual_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"gpuperf/internal/command/manual"
)

// tree is a command with one below it that has everything that pages show.
func tree() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Do things"}
	root.PersistentFlags().Bool("json", false, "print JSON")
	sub := &cobra.Command{
		Use:   "count FILE",
		Short: "Count things",
		Long: `count reads a file and counts
what it has.

Kinds:
  one        a single thing
  several    more than one thing, which are counted one after the other until
             none is left
  f_of[_the]
             a thing with a long name

.dots and \slashes stay.`,
		Example: `  tool count 'a  b'`,
		Run:     func(*cobra.Command, []string) {},
	}
	sub.Flags().StringP("output", "o", "", "the file to write")
	sub.Flags().Int("a-flag-with-a-long-name", 7, "how many")
	secret := sub.Flags()
	secret.Bool("secret", false, "hidden")
	secret.Lookup("secret").Hidden = true
	root.AddCommand(sub, &cobra.Command{Use: "worker", Hidden: true, Run: sub.Run})
	return root
}

var statuses = manual.Section{"Exit status", "  0  done"}

func TestText(t *testing.T) {
	var out strings.Builder
	if err := manual.PageOf(tree().Commands()[0], statuses).Text(&out, 40); err != nil {
		t.Fatal(err)
	}
	const want = `count reads a file and counts what it
has.

Kinds:
  one        a single thing
  several    more than one thing, which
             are counted one after the
             other until none is left
  f_of[_the]
             a thing with a long name

.dots and \slashes stay.

Usage:
  tool count FILE [flags]

Examples:
  tool count 'a  b'

Flags:
      --a-flag-with-a-long-name int
                       how many (default 7)
  -h, --help           print this help
  -o, --output string  the file to write

Global flags:
      --json  print JSON

Exit status:
  0  done
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPages(t *testing.T) {
	dir := t.TempDir()
	files, err := manual.WritePages(dir, "1.2", tree(), statuses)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "tool.1"), filepath.Join(dir, "tool-count.1")}, files); diff != "" {
		t.Fatal(diff)
	}
	text, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".TH TOOL\\-COUNT 1 \"\" \"perf 1.2\"\n", ".SH NAME\ntool\\-count \\- Count things\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\ncount reads", ".SH OPTIONS\n",
		"\n.TP\n\\fB\\-o, \\-\\-output string\\fR\nthe file to write\n", "\n\\&.dots and \\eslashes stay.\n", ".SH EXIT STATUS\n", ".SH SEE ALSO\n\\fBtool\\fR(1)\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestPagesAreRoff: groff finds nothing wrong.
func TestPagesAreRoff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff here")
	}
	files, err := manual.WritePages(t.TempDir(), "1.2", tree(), statuses)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		out, err := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z", file).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
}
