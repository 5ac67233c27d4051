// Command perf predicts how long GPU kernels take: it counts their work symbolically, calibrates cost models on a
// device by microbenchmarks, and evaluates the models for kernels and sizes that were never run.
//
// The commands only compose: each file holds one of them, or a few that belong together. main.go is the program, flags.go holds the flags that
// several commands share, output.go what they print with.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/command/complete"
	"gpuperf/internal/fault"
	"gpuperf/internal/terminal"
	"gpuperf/internal/throw"
	"gpuperf/kernel/script"
)

// grace is how long the work may take to stop by itself after a signal, with a worker that is asked to end. What is finished is in journals by then.
const grace = 3 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
		time.Sleep(grace)
		fmt.Fprintf(os.Stderr, "perf: %v\n", errKilled)
		if slices.Contains(os.Args, "--json") {
			printJSON(os.Stdout, map[string]any{"error": failureOf(errKilled)})
		}
		os.Exit(statusOf(errKilled))
	}()
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	measure.CloseIdle()
	stop()
	os.Exit(status)
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	out := root.OutOrStdout().(*output)
	out.w = stdout
	root.SetArgs(args)
	root.SetIn(stdin)
	messages := &messages{w: terminal.NewLive(stderr)}
	root.SetErr(messages)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		out.hold(wantJSON(cmd))
		messages.warnings.Quiet, _ = cmd.Flags().GetBool("quiet")
		return checkNumbers(cmd)
	}
	cmd, err := execute(script.Printing(ctx, stderr), root)
	messages.warnings.Flush(messages.w)
	if err != nil && ctx.Err() != nil {
		err = stoppedBy(cmd)
	}
	if err != nil && !errors.Is(err, errReported) && (wantJSON(cmd) || slices.Contains(args, "--json")) { // flags after a wrong one are not read
		out.fail(err)
	}
	out.warn(messages.warnings.All)
	if broken := out.flush(); broken != nil && (err == nil || errors.Is(err, broken) || errors.Is(err, errReported)) {
		err = broken
	}
	if err != nil && !errors.Is(err, errReported) {
		messages.fail(err)
	}
	return statusOf(err)
}

// execute runs the command that was called. A panic is an error, which says that it is a fault of the program.
func execute(ctx context.Context, root *cobra.Command) (cmd *cobra.Command, err error) {
	defer func() {
		if p := recover(); p != nil {
			cmd, err = root, fault.Of(p)
		}
	}()
	return root.ExecuteContextC(ctx)
}

func init() {
	cobra.EnableCommandSorting = false
	// Commands are short, make much garbage and keep little: a heap five times as large as what is in use is collected rarely.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	const most = 15 << 26 // bytes, beyond which it is collected more often: the program stays below 1 GiB where what is in use does
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(most)
	}
}

// Shares of what is in use by which the heap may grow before it is collected, in percent.
const (
	keepsMuch = 50
	runsLong  = 200
)

// collect sets that share, until the function that it returns is called, unless the user has.
func collect(percent int) (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:     "perf",
		Version: version(),
		Short:   "Predict the run times of GPU kernels",
		Long: `perf counts the operations and memory accesses of GPU kernels exactly and symbolically, calibrates cost models on a
device by microbenchmarks, and predicts run times for kernels and sizes that were never run.

perf init makes a folder with a kernel, a model and a suite, and says what to type next.`,
		Example: `  perf init first
  perf count examples/matmul/matmul.star -p n=2048
  perf predict examples/matmul/matmul.star -p n=4096 --profile h200`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          chooseCommand,
	}
	root.PersistentFlags().Bool("json", false, "print the result as JSON")
	root.PersistentFlags().BoolP("quiet", "q", false,
		"no notes, no progress, and only those warnings that say that a number is not to be trusted, or is missing")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if args := cmd.Flags().Args(); cmd == root && len(args) > 0 { // a flag of what should have been a command
			return unknownCommand(cmd, args[0])
		}
		return usagef("%v%s\n    see: %s --help", err, suggestFlag(cmd, err), cmd.CommandPath())
	})
	for _, g := range commands() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, command := range g.commands {
			c := command()
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetOut(&output{w: os.Stdout}) // before the command completion is made, which keeps it
	root.SetHelpCommand(helpCommand())
	last := root.Groups()[len(root.Groups())-1].ID
	root.SetHelpCommandGroupID(last)
	root.SetCompletionCommandGroupID(last)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(cmd, cmd) }) // the output keeps its errors
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkArgs(root)
	complete.Add(root, complete.Options{Profiles: func() []string { found, _, _ := ownProfiles(); return found }})
	return root
}

// commands by what they are for, in the order of a session.
func commands() []commandGroup {
	return []commandGroup{
		{"Predicting", []func() *cobra.Command{predictCommand, explainCommand, rankCommand, tuneCommand, emulateCommand, appCommand, calibrateCommand}},
		{"Starting", []func() *cobra.Command{initCommand, devicesCommand, doctorCommand}},
		{"Counting and measuring", []func() *cobra.Command{countCommand, showCommand, measureCommand, captureCommand, evaluateCommand, reportCommand}},
		{"What is kept", []func() *cobra.Command{samplesCommand, profileCommand, modelsCommand, importCommand, exportCommand}},
		{"Advanced", []func() *cobra.Command{
			scopCommand, liftCommand, sassCommand, countersCommand, fleetCommand, benchCommand, fitCommand, featureCommand, cardCommand, serveCommand, schemaCommand,
			workerCommand, deviceWorkerCommand,
		}},
	}
}

// commandGroup are commands for one purpose.
type commandGroup struct {
	title    string
	commands []func() *cobra.Command
}

// checkArgs gives the errors of wrong arguments, of a command and all below it, the status of a wrong call, and catches what they throw.
func checkArgs(cmd *cobra.Command) {
	if !cmd.Runnable() {
		cmd.Args, cmd.RunE = cobra.ArbitraryArgs, chooseCommand
	}
	if runs := cmd.RunE; runs != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
			defer throw.Catch(&err)
			return runs(cmd, args)
		}
	}
	check := cmd.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := cmp.Or(bareSizes(cmd, args), check(cmd, args)); err != nil {
			return usage(err)
		}
		return nil
	}
	for _, c := range cmd.Commands() {
		checkArgs(c)
	}
}

// usage marks an error as that of a wrong call.
func usage(err error) error { return &campaign.InputError{Err: err} }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// version is what the build knows of itself: the module's version or the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return info.Main.Version
}

// checkNumbers refuses numbers of flags that are not finite. Which others make no sense each command says.
func checkNumbers(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil || f.Value.Type() != "float64" {
			return
		}
		if v, parsed := strconv.ParseFloat(f.Value.String(), 64); parsed != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			err = usagef("--%s %s: expected a number", f.Name, f.Value)
		}
	})
	return err
}
