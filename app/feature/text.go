package feature

import (
	"encoding/json"
	"strings"
)

// Quoted is a value as JSON for a prompt, in which the CLI reads no file for an "@".
func Quoted(v any) string {
	data, _ := json.Marshal(v)
	return strings.ReplaceAll(string(data), "@", `\u0040`) // it stands in strings only
}
