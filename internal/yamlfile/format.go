package yamlfile

// Format is a format of files that users write: a map with a version.
type Format struct {
	Name    string // in errors, as "suite file"
	Version int
	Keys    []string // that a file may have, the version among them
	Needed  []string // that it must have, beside the version
}

// Fields returns the values of a file by key. A key that is not known, another version, and a needed key that is missing are errors.
func (f Format) Fields(root *Node) (map[string]*Node, error) {
	fields, err := root.Fields(f.Keys...)
	if err != nil {
		return nil, err
	}
	n := fields["version"]
	if n == nil {
		return nil, root.Errorf("the %s has no version", f.Name).WithHint("write version: %d", f.Version)
	}
	if v, err := n.Int(); err != nil {
		return nil, err
	} else if v != f.Version {
		return nil, n.Errorf("a %s of version %d is not known", f.Name, v).WithHint("this program reads version %d", f.Version)
	}
	return fields, root.Has(f.Name, f.Needed...)
}

// Has refuses a map that lacks one of these keys; name is what the map describes, for the error.
func (n *Node) Has(name string, keys ...string) error {
	for _, key := range keys {
		if n.Get(key) == nil {
			return n.Errorf("the %s has no %s", name, key)
		}
	}
	return nil
}
