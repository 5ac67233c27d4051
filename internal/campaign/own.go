package campaign

import (
	"path/filepath"

	"gpuperf/calibrate"
	"gpuperf/internal/modelgen"
	"gpuperf/internal/replace"
	"gpuperf/models"
	"gpuperf/workload"
)

// OwnModel chooses what is measured of kernels. With own it makes a model of them alone, in the form that is selected, and writes its file to a
// folder. With auto it has the most general form, which calibration brings into the others.
func OwnModel(targets []modelgen.Target, o modelgen.Options, selected Selection, own bool, name, folder string) (string, *modelgen.Set, error) {
	if !own {
		set, err := modelgen.OwnSet(targets, o)
		return "", set, err
	}
	o.Name, o.Form = name, models.PNormForm
	if selected.Form != calibrate.Auto && selected.Form != "" {
		var err error
		if o.Form, err = models.ParseForm(selected.Form); err != nil {
			return "", nil, inputf("--model: %v, or auto", err)
		}
	}
	set, err := modelgen.Make(targets, o, func(m models.Measurement) ([]*workload.Case, error) {
		return TagCases(selected.Generators, m.Tags, string(m.Match), selected.On)
	})
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(folder, o.Name+".yaml")
	return path, set, replace.Copy.Bytes(path, []byte(set.Text)) // one that was edited is its author's
}
