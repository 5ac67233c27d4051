package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/features"
	"gpuperf/internal/source"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// loadScript runs a kernel script and returns its variants, of which there is at least one. The path may end in
// "#name", for one variant alone.
func loadScript(cmd *cobra.Command, path string) ([]script.Variant, error) {
	path, only, one := strings.Cut(path, "#")
	variants, err := script.Options{}.Load(cmd.Context(), path)
	if err != nil {
		return nil, err
	}
	if len(variants) == 0 {
		return nil, usagef("%s leaves no global bound to a kernel", path)
	}
	if !one {
		return variants, nil
	}
	i := slices.IndexFunc(variants, func(v script.Variant) bool { return v.Name == only })
	if i < 0 {
		var names []string
		for _, v := range variants {
			names = append(names, v.Name)
		}
		return nil, usagef("%s has no kernel %q; it has: %s", path, only, strings.Join(names, ", "))
	}
	return variants[i : i+1], nil
}

// scriptCases returns every variant of a script at every one of the sizes, which are texts such as "n=4096".
func scriptCases(cmd *cobra.Command, path string, sizes []string) ([]*workload.Case, error) {
	variants, err := loadScript(cmd, path)
	if err != nil {
		return nil, err
	}
	points, err := parseSizes(sizes)
	if err != nil {
		return nil, err
	}
	file, _, _ := strings.Cut(path, "#")
	var cases []*workload.Case
	for _, v := range variants {
		wrapped := workload.NewKernel(v.Kernel)
		if _, err := wrapped.Nest(); err != nil {
			return nil, v.Error(err)
		}
		seen := map[string]bool{}
		for _, at := range points {
			at := sizesOf(v, variants, at)
			if key := workload.FormatSizes(at); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			c := &workload.Case{
				Kernel:   wrapped,
				Name:     v.Name,
				Identity: samples.Identity{Source: filepath.Base(file), Variant: v.Name, Sizes: at},
				Sizes:    at,
				Verify:   true,
			}
			if err := c.CheckSizes(); err != nil {
				return nil, &usageError{err}
			}
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// sizesOf is at without the sizes that only other variants of the script have a parameter for, so that one call can give the
// sizes of them all. A size that none has stays, for the check of the case to name it.
func sizesOf(v script.Variant, all []script.Variant, at map[string]int64) map[string]int64 {
	own := maps.Clone(at)
	maps.DeleteFunc(own, func(name string, _ int64) bool {
		return !contains(v.Kernel.Params(), name) &&
			slices.ContainsFunc(all, func(o script.Variant) bool { return contains(o.Kernel.Params(), name) })
	})
	return own
}

// featuresOf resolves the features that a model needs. An unknown one is an error at its place in the model file.
func featuresOf(model *models.Model) ([]features.ID, error) {
	var ids []features.ID
	for _, name := range model.FeatureNames() {
		id, err := features.ParseID(name)
		if err != nil {
			return nil, placed(model, name, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// placed moves an error about a feature's name to where the name stands in the model file.
func placed(model *models.Model, name string, err error) error {
	at := model.ErrorAt(model.Place(name), "%s", firstLine(err))
	var inner *source.Error
	if errors.As(err, &inner) && inner.Hint != "" {
		return at.WithHint("%s", inner.Hint)
	}
	return at
}

func contains(all []string, one string) bool { return slices.Contains(all, one) }

func firstLine(err error) string {
	var inner *source.Error
	if errors.As(err, &inner) {
		return inner.Msg
	}
	line, _, _ := strings.Cut(fmt.Sprint(err), "\n")
	return line
}
