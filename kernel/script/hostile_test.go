package script_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuperf/kernel/script"
)

// hostileLimits has the limits of a process that runs k.star as the command does: it prints the error and exits.
const hostileLimits = "SCRIPT_TEST_LIMITS"

func TestMain(m *testing.M) {
	var o script.Options
	if _, err := fmt.Sscan(os.Getenv(hostileLimits), &o.Timeout, &o.Memory); err != nil {
		os.Exit(m.Run())
	}
	_, err := o.Load(context.Background(), "k.star")
	fmt.Println(err)
	os.Exit(0)
}

// What hostile scripts are made of.
const (
	sharing = "x = [1]\nfor i in range(60):\n    x = [x, x]\n" // a list of 2^60 elements, in as many steps as 60 need
	nested  = "x = []\nfor i in range(200000):\n    x = [x]\n"
	joined  = `k = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = " + " + ".join(%s))` + "\n"
	inames  = `k = lp.make_kernel("{[" + ",".join(["i%%d" %% j for j in range(300)]) + "]: " + " and ".join([%s]) + "}", "y[i0] = %s")` + "\n"
)

// hostile scripts, and what the error says of each: the place and the limit.
var hostile = []struct{ name, text, want string }{
	// steps
	{"long loop", "x = 0\nfor i in range(4000000):\n    x += 1\n", `:3:7: the script takes more than 4194304 steps`},
	{"nested loops", "def f():\n  for i in range(1000000):\n    for j in range(1000000):\n      pass\nf()\n", `:3:5: the script takes more than 4194304 steps`},
	{"recursion", "def f(x):\n    return f(x)\nf(1)\n", `:2:12: function f called recursively`},
	// single operations that ask for too much
	{"long range", "for i in range(1000000000000):\n    pass\n", `:1:15: a value of more than 4194304 elements`},
	{"unfolded range", "x = list(range(1000000000000))\n", `:1:15: a value of more than 4194304 elements`},
	{"star arguments", "x = max(*range(1000000000000))\n", `:1:15: a value of more than 4194304 elements`},
	{"repeated string", "x = 'x' * 10000000000\n", `:1:9: a value of more than 4194304 elements`},
	{"repeated list", "x = [0] * (1 << 29)\n", `:1:9: a value of more than 4194304 elements`},
	{"repeated from the left", "x = 1000000000 * [0]\n", `:1:16: a value of more than 4194304 elements`},
	{"huge repeat count", "x = [0] * 10000000000000000000000000000000000000000\n", `:1:9: a value of more than 4194304 elements`},
	{"repeat in place", "x = [0]\nfor i in range(60):\n    x *= 100\n", `:3:7: a value of more than 4194304 elements`},
	{"repeat in an element", "x = [[0]]\nx[0] *= 1000000000\n", `:2:6: augmented assignment by \*= needs a plain name`},
	{"replaced", "x = ('a' * 100000).replace('a', 'b' * 100000)\n", `:1:27: a value of more than 4194304 elements`},
	{"replaced by getattr", "x = getattr('a' * 100000, 'replace')('a', 'b' * 100000)\n", `:1:37: a value of more than 4194304 elements`},
	{"huge shift", "x = 1 << (1 << 40)\n", `:1:7: 1099511627776 out of range`},
	// memory
	{"doubled string", "x = 'a'\nfor i in range(60):\n    x = x + x\n", `:3:\d+: the script needs more than 64 MB of memory`},
	{"doubled in place", "x = 'a'\nfor i in range(60):\n    x += x\n", `:\d:\d+: the script needs more than 64 MB of memory`},
	{"doubled list", "x = [0]\nfor i in range(60):\n    x = x + x\n", `:3:\d+: the script needs more than 256 MB of memory`},
	{"extended by itself", "x = [1]\nfor i in range(60):\n    x.extend(x)\n", `:3:\d+: the script needs more than 64 MB of memory`},
	{"joined", "x = 'a' * 100000\ny = ''.join([x] * 100000)\n", `:2:\d+: the script needs more than 64 MB of memory`},
	{"formatted", "x = ('%s' * 1000) % tuple(['a' * 1000000] * 1000)\n", `:1:\d+: the script needs more than 64 MB of memory`},
	{"format method", "x = ('{0}' * 100000).format('a' * 100000)\n", `:1:\d+: the script needs more than 256 MB of memory`},
	{"bound method", "f = ('a' * 1000000).elems\nx = [list(f()) for i in range(1000000)]\n", `:2:\d+: the script needs more than 64 MB of memory`},
	{"sliced", "x = list(range(1000000))\ny = [x[:] for i in range(1000000)]\n", `:2:\d+: the script needs more than 64 MB of memory`},
	{"items", "d = {i: i for i in range(100000)}\ny = [d.items() for i in range(1000000)]\n", `:2:\d+: the script needs more than 64 MB of memory`},
	{"shared list printed", sharing + "y = str(x)\n", `:4:\d+: the script needs more than 64 MB of memory`},
	// time
	{"doubled integer", "x = 3\nfor i in range(60):\n    x = x * x\n", `:\d+:\d+: the script takes more than 300ms`},
	{"shifted integer", "x = 1\nfor i in range(1000000):\n    x = x << 500\n", `:\d+:\d+: the script takes more than 300ms`},
	{"shared tuple as a key", "x = (1,)\nfor i in range(60):\n    x = (x, x)\ny = {x: 1}\n", `:\d:\d+: the script takes more than 300ms`},
	{"deep list printed", nested + "print(x)\n", `:\d+:\d+: the script takes more than 300ms`},
	{"deep list as text", nested + "y = repr(x)\n", `:\d+:\d+: the script takes more than 300ms`},
	{"deep list as an argument", nested + `k = lp.make_kernel("{[i]: 0<=i<n}", x)`, `:\d+:\d+: the script takes more than 300ms`},
	{"many kernels", "for i in range(1000000):\n    k = lp.make_kernel('{[i]: 0<=i<n}', 'y[i] = 1')\n", `:\d+:\d+: the script takes more than 300ms`},
	{"sum of many terms", fmt.Sprintf(joined, `["x[i]"] * 30000`), `:1:19: the script takes more than 300ms`},
	{"many inames", fmt.Sprintf(inames, `"0<=i%d<n" % j for j in range(300)`, "1"), `:1:20: make_kernel: more than 256 names in a list`},
	{"many disjunctions", `k = lp.make_kernel("{[i]: 0<=i<n and " + " and ".join(["(i < %d or i > %d)" % (10*j, 10*j+3) for j in range(40)]) + "}", "y[i] = 1")` + "\n", `:1:19: the script takes more than 300ms`},
	{"many statements", `k = lp.make_kernel("{[i]: 0<=i<n}", ["y[i] = y[i] + x[i+%d]" % j for j in range(3000)])` + "\n", `:1:19: the script takes more than 300ms`},
	// texts
	{"long sum", fmt.Sprintf(joined, `["x[i]"] * 100000`), `:1:37: make_kernel: instructions is 700004 bytes long, the limit is 262144`},
	{"long kernel", "k = lp.make_kernel('{[i]: 0<=i<n}', 'y[i] = 1\\n' * 400000)\n", `:1:37: make_kernel: instructions is 3600000 bytes long, the limit is 262144`},
	{"nested instruction", `k = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = " + "("*100000 + "1" + ")"*100000)` + "\n", `:1:37: make_kernel: expression nested more than 400 deep`},
	{"nested signs", `k = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = " + "-"*100000 + "x[i]")` + "\n", `:1:37: make_kernel: expression nested more than 400 deep`},
	{"nested domain", `k = lp.make_kernel("{[i]: " + "("*100000 + "0<=i<n" + ")"*100000 + "}", "y[i] = 1")` + "\n", `:1:20: make_kernel: nested more than 200 deep`},
	{"nested negations", `k = lp.make_kernel("{[i]: " + "not "*60000 + "0<=i<n}", "y[i] = 1")` + "\n", `:1:20: make_kernel: nested more than 200 deep`},
	{"brackets", "x = " + strings.Repeat("(", 120000) + "1" + strings.Repeat(")", 120000), `:1:\d+: excessive nesting`},
	{"index", "x = 1" + strings.Repeat("[0", 5000) + strings.Repeat("]", 5000), `:1:\d+: excessive nesting`},
	{"signs", "x = " + strings.Repeat("-", 200000) + "1", `:1:\d+: excessive nesting`},
	{"conditions", "x = " + strings.Repeat("1 if 1 else ", 20000) + "1", `:1:\d+: excessive nesting`},
	{"functions", "x = " + strings.Repeat("lambda:", 35000) + "1", `:1:\d+: excessive nesting`},
	{"too long", "# " + strings.Repeat("x", 1<<18), `read k.star: more than 262144 bytes, the limit of such a file`},
	// These look hostile and cost little.
	{"chained inames", strings.ReplaceAll(fmt.Sprintf(inames, `"0<=i%d<n" % j for j in range(300)`, "1"), "300", "250"), `<nil>`},
	{"list in itself", "x = []\nx.append(x)\ny = str(x)\n", ` the script defines no kernel`},
	{"shared list compared", sharing + "y = x == [x[0], x[1]]\n", `:4:7: comparison exceeded maximum recursion depth`},
	{"sum in a script", "x = " + strings.Repeat("1+", 120000) + "1", ` the script defines no kernel`},
	{"calls", "x = len" + strings.Repeat("()", 120000), `:1:8: len: got 0 arguments, want 1`},
	{"else", "if 1:\n pass\n" + strings.Repeat("elif 1:\n pass\n", 18000), ` the script defines no kernel`},
	{"statements", `k = lp.make_kernel("{[i]: 0<=i<n}", ["y%d[i] = x[i]" % j for j in range(300)])` + "\n", `<nil>`},
}

// TestHostileScripts: each ends within seconds and in less than two gigabytes, by an error that names the limit; on a busy
// machine more is allocated before memory is looked at again than on a quiet one. Of those that run into limits of time and memory
// every sixth is tried; LONG=1 takes all.
func TestHostileScripts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			if limited := strings.Contains(c.want, "300ms") || strings.Contains(c.want, " MB of memory"); limited && i%6 > 0 && os.Getenv("LONG") == "" {
				t.Skip("it takes a second: LONG=1")
			}
			dir := t.TempDir()
			if err := os.WriteFile(dir+"/k.star", []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, self)
			cmd.Dir = dir
			var o script.Options // the command's, but for what would take long, and so that the limit in question comes first
			if strings.Contains(c.want, "300ms") {
				o.Timeout = 300 * time.Millisecond
			}
			if strings.Contains(c.want, " MB of memory") {
				o.Timeout = time.Minute
			}
			if strings.Contains(c.want, " 64 MB") {
				o.Memory = 64 << 20
			}
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", hostileLimits, o.Timeout, o.Memory))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%.2000s", err, out)
			}
			message, _, _ := bytes.Cut(out, []byte("\n"))
			if c.want[0] == ':' {
				c.want = "^k.star" + c.want
			}
			if !regexp.MustCompile(c.want).Match(message) {
				t.Errorf("error\n%.500s\nis not\n%s", message, c.want)
			}
			mb := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
			t.Logf("%d MB", mb)
			if mb > 2048 {
				t.Errorf("took %d MB", mb)
			}
		})
	}
}
