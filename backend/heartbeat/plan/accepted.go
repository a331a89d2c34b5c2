package plan

import (
	"encoding/json"
	"strings"
)

// Specs returns the heartbeats of a file.
func Specs(f File) []Spec {
	var specs []Spec
	for _, e := range f.Heartbeats {
		specs = append(specs, e.Spec)
	}
	return specs
}

// AcceptedText returns the stored form of the accepted heartbeats.
func AcceptedText(specs []Spec) string {
	raw, err := json.Marshal(append([]Spec{}, specs...))
	if err != nil {
		return "[]" // plain fields always encode
	}
	return string(raw)
}

// Accepted parses the text of [AcceptedText]. The first time, that was the
// file.
func Accepted(text string) (specs []Spec, err error) {
	if strings.HasPrefix(text, "[") {
		err = json.Unmarshal([]byte(text), &specs)
		return specs, err
	}
	parsed, _ := Parse([]byte(text))
	return Specs(parsed), nil
}
