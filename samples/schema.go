package samples

import _ "embed"

// Schema is the JSON schema of a record.
//
//go:embed schema.json
var Schema string
