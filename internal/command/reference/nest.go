package reference

import (
	"context"
	"strings"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// runNest shows the statements of the loop nest that a function of C is, without their order.
func runNest(ctx context.Context, _, example string) (string, error) {
	file, err := cfront.Parse(ctx, "example.c", example, cfront.Options{})
	if err != nil {
		return "", err
	}
	regions, err := file.Regions()
	if err != nil {
		return "", err
	}
	nest, err := scop.Build(file, regions[len(regions)-1])
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range strings.Lines(nest.String()) {
		if !strings.HasPrefix(line, "    order:") && strings.TrimSpace(line) != "" {
			out.WriteString(line)
		}
	}
	return out.String(), nil
}
