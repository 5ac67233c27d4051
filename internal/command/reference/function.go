package reference

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/internal/source"
	"gpuperf/kernel"
)

// flag is one of a command line, in the first line of an example.
var flag = regexp.MustCompile(`--(\w+) ('[^']+'|\S+)`)

// readFunction reads a kernel function of CUDA C, or of OpenCL C. Its first line may be a comment with flags for the launch.
func readFunction(ctx context.Context, text string) (*kernel.Kernel, error) {
	name := "example.cu"
	if strings.Contains(text, "__kernel") {
		name = "example.cl"
	}
	file, err := cfront.Parse(ctx, name, text, cfront.Options{})
	if err != nil {
		return nil, err
	}
	o := ckernel.Options{Local: []int64{128}, Global: []string{"n"}}
	comment := regexp.MustCompile(`^//.*`).FindString(text)
	for _, m := range flag.FindAllStringSubmatch(comment, -1) {
		value := m[2]
		if unquoted, err := strconv.Unquote("\"" + value[1:max(1, len(value)-1)] + "\""); err == nil && value[0] == '\'' {
			value = unquoted
		}
		switch m[1] {
		case "assume":
			o.Assume = append(o.Assume, value)
		case "global":
			o.Global = []string{value}
		default:
			return nil, fmt.Errorf("examples have no flag --%s", m[1])
		}
	}
	return ckernel.Read(ctx, file, o)
}

// runFunction shows the loop nest of a kernel function.
func runFunction(ctx context.Context, _, example string) (string, error) {
	return nestOf(readFunction(ctx, example))
}

// runRefusal shows why a kernel function is refused.
func runRefusal(ctx context.Context, _, example string) (string, error) {
	_, err := readFunction(ctx, example)
	var at *source.Error
	switch {
	case err == nil:
		return "", errors.New("it is not refused")
	case !errors.As(err, &at):
		return "", err
	}
	return at.Error() + "\n", nil
}
