// Package choice says what a choice may look like that crosses Parley's borders as text
// and ends in an argument or a message of the CLI. It is pure.
package choice

import "regexp"

// maxModel is how many bytes the name of a model has at most; those of Bedrock are long.
const maxModel = 200

// model is how the names of models are written: with a size as in "sonnet[1m]", a maker as
// in "anthropic/claude", a version as in "claude@20250101", or a whole ARN.
var model = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]*$`)

// ProblemOfModel says what a model's name must be like, as the end of a sentence, "" when
// it is. Which models there are only the provider knows; "" is the usual one.
func ProblemOfModel(name string) string {
	if name == "" || len(name) <= maxModel && model.MatchString(name) {
		return ""
	}
	return "must be a model's name of at most 200 letters, digits and . _ : / @ + [ ] -, or empty"
}
