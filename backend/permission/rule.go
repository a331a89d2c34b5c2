package permission

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"unicode/utf8"
)

// ruleKey stands for one tool with one input, whatever the order of its keys and
// its white space.
type ruleKey [sha256.Size]byte

// keyOf returns the key of a tool use, and false when the input cannot be told
// apart from others with certainty: then nothing is remembered and the question
// is asked.
func keyOf(toolName string, input json.RawMessage) (ruleKey, bool) {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber() // 2^53 and 2^53+1 are different inputs
	var value any
	if dec.Decode(&value) != nil {
		return ruleKey{}, false
	}
	canonical, err := json.Marshal(value)
	if err != nil {
		return ruleKey{}, false
	}
	// Whatever is no valid text was decoded to the replacement character, so two
	// different inputs may look the same now.
	if bytes.ContainsRune(canonical, utf8.RuneError) || bytes.Contains(canonical, []byte(`\ufffd`)) {
		return ruleKey{}, false
	}
	h := sha256.New()
	h.Write([]byte(toolName))
	h.Write([]byte{0})
	h.Write(canonical)
	return ruleKey(h.Sum(nil)), true
}
