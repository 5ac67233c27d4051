package transform

import (
	"strings"

	"gpuperf/kernel"
)

// TagInames maps inames to hardware axes or loop treatments: "i_outer:g.1, i_inner:l.1". An iname that already
// has another tag is an error, except that l.auto gives way and that for removes a tag.
func TagInames(k *kernel.Kernel, text string) (*kernel.Kernel, error) {
	c := k.Clone()
	for _, item := range strings.Split(text, ",") {
		if strings.TrimSpace(item) == "" {
			continue
		}
		name, tagText, ok := strings.Cut(item, ":")
		if !ok {
			return nil, k.Errorf("iname tags %q: %q should be iname:tag", text, strings.TrimSpace(item))
		}
		name = strings.TrimSpace(name)
		tag, err := kernel.ParseTag(tagText)
		if err != nil {
			return nil, k.Errorf("iname %s: %w", name, err)
		}
		if err := c.SetTag(name, tag); err != nil {
			return nil, err
		}
	}
	return c, nil
}
