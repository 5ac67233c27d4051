package samples

import "strings"

// tunedTag begins the tag of a sample of a search: it has the choices that make the configuration, in their order, as "tune:bm=16,bn=32".
const tunedTag = "tune:"

// TunedTags are the tags of the sample of a configuration.
func TunedTags(configuration string) []string { return []string{"tune", tunedTag + configuration} }

// Tuned is the configuration that a sample is of, where a search has measured it.
func (r Record) Tuned() (configuration string, ok bool) {
	for _, t := range r.Tags {
		if c, ok := strings.CutPrefix(t, tunedTag); ok {
			return c, true
		}
	}
	return "", false
}
