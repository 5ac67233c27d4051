package reference

import (
	"context"
	"fmt"

	"gpuperf/kernel/script"
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
	"model":      {"yaml", runModel},
	"expression": {"text", runExpression},
}

// runScript shows the loop nest of the last kernel that a script defines.
func runScript(ctx context.Context, about, example string) (string, error) {
	variants, err := script.Options{}.Exec(ctx, "example.star", about+example)
	if err != nil {
		return "", err
	}
	nest, err := workload.NewKernel(variants[len(variants)-1].Kernel).Nest()
	if err != nil {
		return "", err
	}
	return nest.String(), nil
}

// runModel reads a model file whose first lines stand in the section, and has nothing to show.
func runModel(_ context.Context, about, example string) (string, error) {
	_, err := models.Parse("example.yaml", []byte(about+example))
	return "", err
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
