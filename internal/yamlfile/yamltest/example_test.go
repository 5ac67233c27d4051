package yamltest_test

import (
	"fmt"

	"gpuperf/internal/yamlfile"
	"gpuperf/internal/yamlfile/yamltest"
)

// The value of a key is text where the schema has it so, though it looks like a number.
func ExamplePlain() {
	n, err := yamlfile.Parse("p.yaml", []byte("driver: 580.1\nvalues: [1, true, x]\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%#v\n", yamltest.Plain(n, map[string]bool{"driver": true}))
	// Output: map[string]interface {}{"driver":"580.1", "values":[]interface {}{1, true, "x"}}
}
