package lift

import (
	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
)

// Load reads a program from a file. It must have a name, which samples and kernels bear.
func Load(path string) (*Program, error) {
	text, err := bounded.ReadFile(path, MaxText)
	if err != nil {
		return nil, err
	}
	p, err := Parse(string(text))
	if err != nil {
		return nil, source.InFile(err, path)
	}
	if p.Name == "" {
		return nil, source.New(path, string(text), 0, "the program has no name").WithHint("begin with a line such as: program dot")
	}
	return p, nil
}
