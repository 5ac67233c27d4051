package reference

import (
	"context"
	"fmt"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/command/cardinality"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/fleet"
	"gpuperf/kernel"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/script"
	"gpuperf/launchfile"
	"gpuperf/lift"
	"gpuperf/models"
	"gpuperf/workload"
)

// runner runs an example, with what its section gives all of them. What it returns stands beside the example.
type runner struct {
	language string // of the examples, as Markdown names it
	run      func(ctx context.Context, about, example string) (string, error)
}

var runners = map[string]runner{
	"script":     {"python", runScript},
	"kernel":     {"python", runKernel},
	"card":       {"text", runCard},
	"value":      {"text", runValue},
	"feature":    {"python", runFeature},
	"suite":      {"yaml", read(evaluate.Parse)},
	"campaign":   {"yaml", read(fleet.Parse)},
	"launch":     {"yaml", read(launchfile.Parse)},
	"argument":   {"yaml", runArgument},
	"program":    {"text", runProgram},
	"pattern":    {"text", runPattern},
	"model":      {"yaml", read(models.Parse)},
	"expression": {"text", runExpression},
	"function":   {"c", runFunction},
	"refusal":    {"c", runRefusal},
	"nest":       {"c", runNest},
}

// lastKernel is the last kernel that a script defines.
func lastKernel(ctx context.Context, text string) (*kernel.Kernel, error) {
	variants, err := script.Options{}.Exec(ctx, "example.star", text)
	if err != nil {
		return nil, err
	}
	return variants[len(variants)-1].Kernel, nil
}

// runScript shows the loop nest of the last kernel.
func runScript(ctx context.Context, about, example string) (string, error) {
	return nestOf(lastKernel(ctx, about+example))
}

// nestOf is the loop nest of a kernel, if there is one.
func nestOf(k *kernel.Kernel, err error) (string, error) {
	if err != nil {
		return "", err
	}
	nest, err := workload.NewKernel(k).Nest()
	if err != nil {
		return "", err
	}
	return nest.String(), nil
}

// runKernel shows the text of the last kernel.
func runKernel(ctx context.Context, about, example string) (string, error) {
	k, err := lastKernel(ctx, about+example)
	if err != nil {
		return "", err
	}
	return k.String(), nil
}

// runValue runs a statement of one work-item that assigns the expression, and shows the value and its type.
func runValue(ctx context.Context, about, example string) (string, error) {
	text := fmt.Sprintf("knl = lp.make_kernel('{ [one]: 0 <= one < 1 }', 'value[one] = %s')", example)
	k, err := lastKernel(ctx, about+text)
	if err != nil {
		return "", err
	}
	nest, err := workload.NewKernel(k).Nest()
	if err != nil {
		return "", err
	}
	t := nest.Kernel.Array("value").DType
	value := interp.NewBuffer(t, 1)
	if _, err := interp.Run(nest, nil, map[string]*interp.Buffer{"value": value}); err != nil {
		return "", err
	}
	return fmt.Sprintf("%.7g, of type %s", value.At(0), t), nil
}

// runCard counts the points of a set, or the images of each point under a map.
func runCard(_ context.Context, _, example string) (string, error) {
	counts, err := cardinality.Count(example, false)
	var lines []string
	for _, c := range counts {
		lines = append(lines, c.Count.String())
	}
	return strings.Join(lines, "\n"), err
}

// read reads a file whose first lines stand in the section, and has nothing to show.
func read[T any](parse func(name string, text []byte) (T, error)) func(ctx context.Context, about, example string) (string, error) {
	return func(_ context.Context, about, example string) (string, error) {
		_, err := parse("example.yaml", []byte(about+example))
		return "", err
	}
}

// runArgument reads a launch file with an argument.
func runArgument(ctx context.Context, _, example string) (string, error) {
	return read(launchfile.Parse)(ctx, "version: 1\nsource: example.cu\nkernel: example\nsizes: {n: 1024}\ngrid: [n]\nblock: [1]\nargs:\n  - ", example)
}

// exampleDevice is the device whose facts bound what runs at once, where a feature asks for them.
const exampleDevice = "NVIDIA H200"

// runFeature evaluates a feature of the kernel of the section at n = 1024.
func runFeature(ctx context.Context, about, example string) (string, error) {
	variants, err := script.Options{}.Exec(ctx, "example.star", about)
	if err != nil {
		return "", err
	}
	device, _ := facts.Named(exampleDevice)
	statistics, err := workload.NewKernel(variants[0].Kernel).Statistics(features.Options{Device: device})
	if err != nil {
		return "", err
	}
	id, err := features.ParseID(example)
	if err != nil {
		return "", err
	}
	v, err := statistics.Value(id, map[string]int64{"n": 1024})
	return fmt.Sprintf("%.17g at n=1024", v), err
}

// runProgram evaluates a functional program at n = 6 and m = 2. Its inputs count from 0.
func runProgram(_ context.Context, _, example string) (string, error) {
	p, err := lift.Parse(example)
	if err != nil {
		return "", err
	}
	at := map[string]int64{}
	for _, name := range p.Sizes {
		at[name] = map[string]int64{"n": 6, "m": 2}[name]
	}
	if p, err = p.AtSizes(at); err != nil {
		return "", err
	}
	var inputs []lift.Value
	for _, in := range p.Inputs {
		next := int64(-1)
		inputs = append(inputs, lift.NewValue(in.Type, func(int, *lift.Type) lift.Value {
			next++
			return lift.Exact(next, 1)
		}))
	}
	v, err := lift.Eval(p, nil, inputs, lift.EvalOptions{})
	return fmt.Sprint(v), err
}

// runPattern evaluates a term of functional programs on an array xs.
func runPattern(ctx context.Context, about, example string) (string, error) {
	return runProgram(ctx, about, "size n, m\nfun(xs: [int32]n => "+example+")")
}

// runExpression evaluates an expression of models that has no features and no parameters.
func runExpression(_ context.Context, _, example string) (string, error) {
	e, err := models.ParseExpr(example)
	if err != nil {
		return "", err
	}
	features, eval := models.Evaluator(e)
	if len(features) > 0 {
		return "", fmt.Errorf("%s has no value without a kernel", features[0])
	}
	return fmt.Sprintf("%.6g", eval(nil)), nil
}
