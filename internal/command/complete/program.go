package complete

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/calibrate/profiles"
	"gpuperf/device/facts"
	"gpuperf/device/measure"
	"gpuperf/features"
	"gpuperf/internal/campaign"
	"gpuperf/internal/command/reference"
	"gpuperf/internal/lists"
	"gpuperf/internal/microbench"
	"gpuperf/launch"
	"gpuperf/launchfile/draft"
	"gpuperf/lift"
	"gpuperf/lift/rank"
)

// described is a word with its meaning, as shells show it.
func described(word, meaning string) string { return word + "\t" + meaning }

// generators are those that the tags of the call select so far; without any, all.
func (c *call) generators() (found []*microbench.Generator) {
	folder := ""
	if f := c.cmd.Flag("generators"); f != nil {
		folder = f.Value.String()
	}
	collection, err := campaign.LoadGenerators(folder)
	if err != nil {
		return nil
	}
	for _, g := range collection.Generators() {
		if !slices.ContainsFunc(c.args, func(tag string) bool { return !strings.Contains(tag, ":") && !slices.Contains(g.Tags, tag) }) {
			found = append(found, g)
		}
	}
	return found
}

// anyTag offers variant tags of all generators, whatever the arguments are.
func anyTag(c *call, begun string) []string { return variantTags(&call{c.Options, c.cmd, nil}, begun) }

// tags offers generator tags and variant tags.
func tags(c *call, begun string) (all []string) {
	for _, g := range c.generators() {
		for _, tag := range g.Tags {
			if !slices.Contains(c.args, tag) {
				all = append(all, tag)
			}
		}
	}
	slices.Sort(all)
	return append(slices.Compact(all), variantTags(c, begun)...)
}

// variantTags offers names of arguments of generators, and after NAME: their values.
func variantTags(c *call, begun string) (all []string) {
	name, given, named := strings.Cut(begun, ":")
	before := given[:strings.LastIndex(given, ",")+1] // the values that are complete
	for _, g := range c.generators() {
		for _, a := range g.Args {
			switch {
			case !named:
				all = append(all, a.Name+":")
			case a.Name == name:
				for _, v := range slices.Concat(a.Allowed.Default, a.Allowed.Also) {
					all = append(all, name+":"+before+v.String())
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// featureIDs offers the classes of features, and the totals of static ones.
func featureIDs(_ *call, begun string) (all []string) {
	classes, forms := features.Classes()
	for i, class := range classes {
		id := "f_" + string(class)
		if strings.HasPrefix(forms[i], id+"_") { // more must follow
			id += "_"
		}
		all = append(all, id)
	}
	for _, t := range launch.Totals() {
		if strings.HasPrefix(begun, "f_static_") {
			all = append(all, t.Feature())
		}
	}
	return all
}

func devices(c *call, _ string) (all []string) {
	list, _ := measure.Devices(c.cmd.Context(), measure.Options{})
	for i, d := range list {
		all = append(all, described(fmt.Sprint(i), d.Name))
	}
	return all
}

func factSheets(*call, string) []string {
	_, known := facts.Named("")
	return known
}

func profileNames(*call, string) (all []string) {
	for _, e := range profiles.All.Entries {
		all = append(all, described(e.Name, e.Doc))
	}
	return all
}

// modelsOfProfile offers the models of the profile that the call names, or of those of the devices that were calibrated here.
func modelsOfProfile(c *call, _ string) []string {
	paths := c.Profiles()
	if f := c.cmd.Flag("profile"); f != nil && f.Changed {
		paths = []string{f.Value.String()}
	}
	all := []string{"auto"}
	for _, path := range paths {
		if p, err := campaign.LoadProfile(path); err == nil {
			all = append(all, p.Names()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func rankers(*call, string) (all []string) {
	return lists.Map(rank.Rankers(), func(r rank.Ranker) string { return described(r.Name, r.Doc) })
}

// sizesOfKernel offers the sizes of the kernels and programs of the files that the call names.
func sizesOfKernel(c *call, _ string) (all []string) {
	own, _ := c.cmd.Flags().GetStringArray("for") // of calibrate alone
	for _, path := range slices.Concat(c.args, own) {
		if filepath.Ext(path) == ".lift" {
			all = append(all, sizes(sizesOfProgram(path))...)
			continue
		}
		kernels, _ := c.reading().Load(c.cmd.Context(), path)
		for _, k := range kernels {
			all = append(all, sizes(k.Takes())...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sourceKernels are the kernels of the files that --from names.
func sourceKernels(c *call, _ string) []string {
	from, err := c.cmd.Flags().GetStringArray("from")
	if err != nil {
		return nil
	}
	names, _ := draft.Names(from)
	return names
}

// sizesOfProgram are the sizes of a functional program.
func sizesOfProgram(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	p, err := lift.Parse(string(text))
	if err != nil {
		return nil
	}
	return p.Sizes
}

func sizes(names []string) (all []string) {
	return lists.Map(names, func(n string) string { return n + "=" })
}

// commands offers the commands below the one that the arguments name.
func commands(c *call, _ string) (all []string) {
	about, rest, err := c.cmd.Root().Find(c.args)
	if err != nil || len(rest) > 0 {
		return nil
	}
	for _, sub := range about.Commands() {
		if !sub.Hidden {
			all = append(all, described(sub.Name(), sub.Short))
		}
	}
	return all
}

func pages(*call, string) []string { return reference.Names() }

// entries offers the entries of the page that the arguments name.
func entries(c *call, _ string) []string {
	page, err := reference.Load(c.args[0])
	if err != nil {
		return nil
	}
	return page.Entries()
}
