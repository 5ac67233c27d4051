package complete

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/frontend"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/launchfile"
)

// files offers the files whose names end so, and folders.
func files(ends ...string) offer {
	return func(_ *call, begun string) (all []string) {
		dir, name := filepath.Split(begun)
		list, _ := os.ReadDir(filepath.Join(dir, "."))
		for _, e := range list {
			info, err := os.Stat(filepath.Join(dir, e.Name())) // of what a link leads to
			switch {
			case err != nil || strings.HasPrefix(e.Name(), ".") && name == "":
			case info.IsDir():
				all = append(all, dir+e.Name()+"/")
			case slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(e.Name(), end) }):
				all = append(all, dir+e.Name())
			}
		}
		return all
	}
}

// prefixed offers what another does for the rest of a word that begins so; the beginning alone until it has been typed.
func prefixed(prefix string, of offer) offer {
	return func(c *call, begun string) (all []string) {
		rest, ok := strings.CutPrefix(begun, prefix)
		if !ok {
			return []string{prefix}
		}
		return lists.Map(of(c, rest), func(text string) string { return prefix + text })
	}
}

// kernels offers files that end so, and after FILE# the kernels of one.
func kernels(ends ...string) offer {
	return func(c *call, begun string) (all []string) {
		file, _, ok := source.CutName(begun)
		if !ok {
			return slices.DeleteFunc(files(ends...)(c, begun), func(path string) bool {
				_, err := launchfile.Load(path)
				return err != nil && slices.Contains(launchfile.Extensions, filepath.Ext(path)) // models, suites
			})
		}
		return lists.Map(frontend.Names(c.cmd.Context(), file), func(name string) string { return file + "#" + name })
	}
}

// functions offers the kernel functions of the files that the call names.
func functions(c *call, _ string) (all []string) {
	return lists.Flat(c.args, func(path string) []string { return frontend.Names(c.cmd.Context(), path) })
}

// reading are the flags of the call that say how files are read.
func (c *call) reading() (o frontend.Options) {
	f := c.cmd.Flags()
	for name, into := range map[string]*string{
		"kernel": &o.Kernel, "local": &o.Local, "global": &o.Global, "groups": &o.Groups, "shared": &o.Shared,
	} {
		*into, _ = f.GetString(name) // "" where the command has no such flag
	}
	for name, into := range map[string]*[]string{"assume": &o.Assume, "include": &o.Include, "define": &o.Define} {
		*into, _ = f.GetStringArray(name)
	}
	return o
}
