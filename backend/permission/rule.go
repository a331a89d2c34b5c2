package permission

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"unicode/utf8"
)

// ruleKey identifies one tool with one input, regardless of key order and white
// space.
type ruleKey [sha256.Size]byte

// keyOf returns the key of a tool use, and false if the input can't be reliably
// distinguished from others: then nothing is remembered and the question is
// asked.
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
	// Invalid text was decoded to the replacement character, so two different
	// inputs may look the same.
	if bytes.ContainsRune(canonical, utf8.RuneError) || bytes.Contains(canonical, []byte(`\ufffd`)) {
		return ruleKey{}, false
	}
	h := sha256.New()
	h.Write([]byte(toolName))
	h.Write([]byte{0})
	h.Write(canonical)
	return ruleKey(h.Sum(nil)), true
}
