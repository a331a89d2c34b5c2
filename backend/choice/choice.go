// Package choice defines the valid forms of choices that cross Parley's borders as text
// and end up in an argument or a message of the CLI. It is pure.
package choice

import "regexp"

// maxModel bounds the name of a model, in bytes; those of Bedrock are long.
const maxModel = 200

// model matches the names of models: with a size as in "sonnet[1m]", a vendor as
// in "anthropic/claude", a version as in "claude@20250101", or a whole ARN.
var model = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]*$`)

// ProblemOfModel returns the rule that a model's name violates, as the end of a sentence, "" if
// the name is valid. Only the provider knows which models exist; "" is the default model.
func ProblemOfModel(name string) string {
	if name == "" || len(name) <= maxModel && model.MatchString(name) {
		return ""
	}
	return "must be a model's name of at most 200 letters, digits and . _ : / @ + [ ] -, or empty"
}
