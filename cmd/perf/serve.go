package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/command/serve"
	"gpuperf/internal/tune"
)

// unserved are the commands that answer no questions.
var unserved = []string{"serve", "help", "completion", "init", "capture", "app"}

func serveCommand() *cobra.Command {
	var stdio bool
	var o predictFlags
	cmd := &cobra.Command{
		Use:   "serve --stdio",
		Short: "Answer questions of other programs, as lines of JSON",
		Long: `serve reads questions from standard input, a line of JSON each, and answers each by a line, in the same order:

  {"id": 1, "method": "predict", "params": {"kernel": "a.star#knl", "sizes": {"n": 4096}, "profile": "h200"}}
  {"id": 1, "result": …}      or      {"id": 1, "error": {"message": …, "hint": …}}

The methods are the commands, and the results what they print with --json. Of the parameters, kernel, kernels and args are the files, sizes is
what -p takes (an object), and all others are flags: {"top": 3} is --top 3, a list repeats a flag. predict takes a list of sizes too, and keeps
kernels and models, so that thousands of questions about scripts take a second; what the command emulates is answered by the command. {"only": "seconds"} leaves all but the times out. A file that changes is read again.

The strategies of perf tune are open to other tuners: ask proposes configurations, which the other program runs, and tell says how they did. What is
searched is told by the first question, as parameters with their values and constraints, or as a file that perf tune takes:

  {"id": 1, "method": "ask", "params": {"parameters": {"bm": [16, 32], "tm": [1, 2]}, "constraints": ["tm <= bm"], "strategy": "ants", "count": 2}}
  {"id": 2, "method": "tell", "params": {"results": [{"configuration": {"bm": 16, "tm": 1}, "seconds": 0.0021}]}}
  {"id": 3, "method": "ask"}

A time of null says that a configuration did not run. Several searches have names: {"search": "a"}. With profile, its model orders the configurations of a file.

It ends with its input. The package python/perf_client asks it from Python.`,
		Example: `  perf serve --stdio`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !stdio {
				return usagef("say where questions come from: --stdio")
			}
			session := &campaign.Session{Profile: func() (string, error) { return o.path(cmd) }}
			searches := &tune.Dialogues{Predictors: session.Predictor}
			methods := map[string]serve.Method{
				"predict": method(func(ctx context.Context, q campaign.Question) (any, error) {
					return predictOne(ctx, session, q)
				}),
				"ask":  method(searches.Ask),
				"tell": method(searches.Tell),
			}
			addMethods(methods, cmd.Root(), nil)
			out := &output{w: cmd.OutOrStdout().(*output).w} // answers go out one by one
			return serve.Run(cmd.Context(), cmd.InOrStdin(), out, methods, func(err error) any {
				if told, ok := err.(toldError); ok {
					return told.failure
				}
				return failureOf(err)
			})
		},
	}
	cmd.Flags().BoolVar(&stdio, "stdio", false, "questions come from standard input, answers go to standard output")
	return cmd
}

// predictOne answers a question for the times of kernels: by kept models where the command takes those, else by the command, which emulates kernels that exist and what a
// model predicts with a wide interval.
func predictOne(ctx context.Context, session *campaign.Session, q campaign.Question) (any, error) {
	if q.Only != "" && q.Only != "seconds" {
		return nil, usagef("only: \"seconds\", or nothing, not %q", q.Only)
	}
	if isWritten(q.Kernel) && q.Model == "" {
		return predictByCommand(ctx, session, q)
	}
	all, err := session.Predict(ctx, q)
	switch {
	case err != nil:
		return nil, err
	case q.Model == "" && slices.ContainsFunc(all, func(s campaign.Summary) bool { return s.Prediction != nil && wide(s.Interval) }):
		return predictByCommand(ctx, session, q)
	case q.Only != "":
		seconds := []any{}
		for _, one := range all {
			seconds = append(seconds, one.Time)
		}
		return map[string]any{"seconds": seconds}, nil
	}
	return kernelsJSON(all), nil
}

// predictByCommand answers a question by the command, at each of the sizes. Of several the device may refuse some.
func predictByCommand(ctx context.Context, session *campaign.Session, q campaign.Question) (any, error) {
	if q.Sizes == nil {
		q.Sizes = campaign.Sizes{nil}
	}
	all, seconds := []json.RawMessage{}, []any{}
	byModel := sync.OnceValues(func() ([]campaign.Summary, error) { return session.Predict(ctx, q) })
	for i, at := range q.Sizes {
		result, err := runCommand(ctx, []string{"predict"}, launchArgs(q, at))
		if err != nil && len(q.Sizes) > 1 {
			if told, other := byModel(); other == nil && told[i].Error != "" {
				result, err = json.Marshal(told[i])
			}
		}
		if err != nil {
			return nil, err
		}
		var several struct{ Kernels []json.RawMessage }
		if err := json.Unmarshal(result, &several); err != nil {
			return nil, err
		}
		if several.Kernels == nil {
			several.Kernels = []json.RawMessage{result}
		}
		for _, one := range several.Kernels {
			var told struct{ Seconds *float64 }
			if err := json.Unmarshal(one, &told); err != nil {
				return nil, err
			}
			all, seconds = append(all, one), append(seconds, told.Seconds)
		}
	}
	if q.Only != "" {
		return map[string]any{"seconds": seconds}, nil
	}
	return kernelsJSON(all), nil
}

// launchArgs are the arguments of a question at sizes.
func launchArgs(q campaign.Question, at map[string]int64) (args []string) {
	for _, name := range slices.Sorted(maps.Keys(at)) {
		args = append(args, fmt.Sprintf("--param=%s=%d", name, at[name]))
	}
	for _, flag := range [][2]string{{"profile", q.Profile}, {"local", q.Local}, {"global", q.Global}, {"groups", q.Groups}, {"shared", q.Shared}} {
		if flag[1] != "" {
			args = append(args, "--"+flag[0]+"="+flag[1])
		}
	}
	for _, text := range q.Assume {
		args = append(args, "--assume="+text)
	}
	return append(args, "--", q.Kernel)
}

// method is a method whose parameters are a value of type Q.
func method[Q, A any](answer func(context.Context, Q) (A, error)) serve.Method {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var q Q
		if err := serve.Decode(params, &q); err != nil {
			return nil, usage(err)
		}
		return answer(ctx, q)
	}
}

// addMethods makes a method of each command below cmd that can be run, but for those that are there already.
func addMethods(methods map[string]serve.Method, cmd *cobra.Command, path []string) {
	for _, c := range cmd.Commands() {
		words := append(slices.Clone(path), c.Name())
		name := strings.Join(words, " ")
		if c.Hidden || slices.Contains(unserved, words[0]) {
			continue
		}
		if _, ok := methods[name]; !ok && !c.HasSubCommands() {
			methods[name] = func(ctx context.Context, params json.RawMessage) (any, error) {
				return callCommand(ctx, c, words, params)
			}
		}
		addMethods(methods, c, words)
	}
}

// toldError is an error as a command has printed it.
type toldError struct{ failure json.RawMessage }

func (e toldError) Error() string { return string(e.failure) }

// callCommand runs a command with --json, and returns what it prints.
func callCommand(ctx context.Context, c *cobra.Command, words []string, params json.RawMessage) (any, error) {
	args, err := argsOf(c, params)
	if err != nil {
		return nil, usage(err)
	}
	return runCommand(ctx, words, args)
}

// runCommand is what a command prints with --json.
func runCommand(ctx context.Context, words, args []string) (json.RawMessage, error) {
	var printed bytes.Buffer
	run(ctx, slices.Concat(words, []string{"--json", "--quiet"}, args), strings.NewReader(""), &printed, io.Discard)
	var result map[string]json.RawMessage
	if err := json.Unmarshal(printed.Bytes(), &result); err != nil {
		return nil, fmt.Errorf("%s printed no JSON object: %w", strings.Join(words, " "), err)
	}
	if failed, ok := result["error"]; ok {
		return nil, toldError{failed}
	}
	return printed.Bytes(), nil
}

// argsOf are the arguments that parameters stand for.
func argsOf(c *cobra.Command, params json.RawMessage) (args []string, err error) {
	given := map[string]any{}
	if len(params) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(params))
		decoder.UseNumber()
		if err := decoder.Decode(&given); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
	}
	var files []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		value := given[key]
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		switch key {
		case "json", "help":
			return nil, fmt.Errorf("params: %s is none: an answer is always what --json prints", key)
		case "kernel", "kernels", "args":
			for _, v := range list {
				files = append(files, fmt.Sprint(v))
			}
			continue
		case "sizes":
			sizes, ok := value.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("params: sizes is an object, as in {\"n\": 4096}")
			}
			for _, name := range slices.Sorted(maps.Keys(sizes)) {
				args = append(args, "--param", fmt.Sprintf("%s=%v", name, sizes[name]))
			}
			continue
		}
		for _, v := range list {
			args = append(args, fmt.Sprintf("--%s=%v", strings.ReplaceAll(key, "_", "-"), v))
		}
	}
	return append(append(args, "--"), files...), nil
}
