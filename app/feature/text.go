package feature

import (
	"encoding/json"
	"strings"
)

// Quoted returns a value as JSON for a prompt, in which the CLI reads no file for an "@".
func Quoted(v any) string {
	data, _ := json.Marshal(v)
	return strings.ReplaceAll(string(data), "@", `\u0040`) // it only occurs in strings
}
