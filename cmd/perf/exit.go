package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/internal/campaign"
	"gpuperf/internal/command/capture"
	"gpuperf/internal/command/manual"
	"gpuperf/internal/source"
)

// The exit statuses of the program.
const (
	exitDone = iota
	exitFailed
	exitUsage
)

// exitMeanings says what each status means. The help of every command prints it.
var exitMeanings = [...]string{
	exitDone:   "done",
	exitFailed: "the work failed: something could not be measured, fitted or written, or was interrupted",
	exitUsage:  "the call is wrong, or an input file: it cannot be read, or what it says is not accepted",
}

// exitSection is the section of the help about them.
func exitSection() manual.Section {
	var b strings.Builder
	for status, when := range exitMeanings {
		fmt.Fprintf(&b, "  %d  %s\n", status, when)
	}
	b.WriteString("With --json a failure prints {\"error\": {\"message\", \"file\", \"line\", \"column\", \"hint\", \"exit\"}}, as far as they are known.\n")
	return manual.Section{Heading: "Exit status", Text: b.String()}
}

var (
	errReported = errors.New("reported") // the user has been told already
	errStopped  = errors.New("stopped")
	errResumes  = errors.New("stopped; finished samples are kept, and the same command resumes from them")
	errKilled   = errors.New("stopped in the middle of the work")
)

// stoppedBy is the error of a command that a signal has stopped. Those that measure keep samples.
func stoppedBy(cmd *cobra.Command) error {
	if cmd.Flag("retry") != nil || cmd.Flag("workers") != nil {
		return errResumes
	}
	return errStopped
}

// statusOf tells a wrong call or input file from work that failed.
func statusOf(err error) int {
	var usage *campaign.InputError
	var input *source.Error
	var query device.SelectError
	var path *fs.PathError
	var application *capture.StatusError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &application):
		return application.Status
	case errors.As(err, &usage), errors.As(err, &input), errors.As(err, &query):
		return exitUsage
	case errors.As(err, &path) && slices.Contains([]string{"open", "read", "stat"}, path.Op):
		return exitUsage // a file that is not there, or is no file
	}
	return exitFailed
}

// failure is an error as JSON.
type failure struct {
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Hint    string `json:"hint,omitempty"`
	Exit    int    `json:"exit"`
}

func failureOf(err error) failure {
	f := failure{Message: source.Message(err), Exit: statusOf(err)}
	var input *source.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &input):
		f.File, f.Line, f.Column, f.Hint = input.File, input.Pos.Line, input.Pos.Column, input.Hint
		if errors.As(err, &path) {
			f.File = path.Path
		}
		return f
	case errors.As(err, &path):
		f.File = path.Path
	}
	_, rest, _ := strings.Cut(err.Error(), "\n")
	f.Hint = strings.TrimSpace(rest)
	return f
}
