package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Types of records.
const (
	// Asked records that a question was opened.
	Asked = "asked"
	// Ended records how a question ended.
	Ended = "ended"
	// Gap records that records couldn't be written: Lost of them, since At.
	Gap = "gap"
	// Torn records that a crash left a partial line, which was removed: Lost
	// bytes.
	Torn = "torn"
	// Ruled records that a rule was created, changed or deleted.
	Ruled = "rule"
	// Chatted records an allowed or refused action through Mattermost: Kind is the
	// action, Summary its details.
	Chatted = "chat"
	// Outside records a user's decision about a change made outside of Parley: Kind is
	// what was changed.
	Outside = "outside"
	// Restored records that a snapshot was restored: Kind is the snapshot's name, By who
	// decided.
	Restored = "restored"
	// Budgeted records a change of the budgets: Message has the figures.
	Budgeted = "budget"
	// Intruder records foreign input to a session's CLI; Summary is how it was detected.
	Intruder = "intruder"
	// Broken records that the log had been changed.
	Broken = "broken"
)

// Lost is the outcome of a question that was open when Parley crashed. The
// caller defines the other outcomes.
const Lost = "lost"

// Record is one line of the log. Texts are truncated to the stated length in
// characters, and anything that looks like a secret is masked.
type Record struct {
	// Seq counts the records from 1. The log sets it.
	Seq uint64 `json:"seq"`
	// At is the Unix time in milliseconds; the log sets it if it is 0.
	At int64 `json:"at"`
	// Type is one of the type constants.
	Type string `json:"type"`

	// These identify the question, up to 200 characters each.
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	ToolUseID string `json:"toolUseId,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Kind      string `json:"kind,omitempty"`
	// InputHash is the SHA-256 of the tool's input, see [HashInput].
	InputHash string `json:"inputSha256,omitempty"`
	// Summary is one line about the input, up to 200 characters.
	Summary string `json:"summary,omitempty"`

	// Outcome is how the question ended; By is the surface that answered or what
	// else ended it, Connection the client of the surface. Up to 200 characters
	// each.
	Outcome    string `json:"outcome,omitempty"`
	By         string `json:"by,omitempty"`
	Connection string `json:"connection,omitempty"`
	// Message is what the model was told, or the text of a record that isn't about a
	// question, up to 500 characters.
	Message string `json:"message,omitempty"`
	// Remembered are the rules created with the answer: up to 8, of up to 500
	// characters.
	Remembered []string `json:"remembered,omitempty"`
	// Rules are the rules that decided, or the subject of a record of type [Ruled]: up to
	// 8, of up to 500 characters. Why is the reason it was allowed, up to 500 characters.
	Rules []string `json:"rules,omitempty"`
	Why   string   `json:"why,omitempty"`
	// EditedHash is the SHA-256 of the allowed input, if it differs from the
	// requested one.
	EditedHash string `json:"editedSha256,omitempty"`

	// Lost counts what is missing, for [Gap] and [Torn].
	Lost uint64 `json:"lost,omitempty"`
	// Store is the mark of the store at the time of writing, see [Log.SetStore]. The
	// log sets it.
	Store string `json:"store,omitempty"`
	// Prev is the hash of the previous record, 64 zeros for the first one. The
	// log sets it.
	Prev string `json:"prev"`
	// Hash is the SHA-256 of the line without this field. The log sets it.
	Hash string `json:"hash,omitempty"`
}

const (
	maxName       = 200
	maxMessage    = 500
	maxRemembered = 8
	maxStore      = 64
	// maxLine exceeds the longest possible record.
	maxLine = 64 << 10
)

// hashed separates a record from its hash; only `"}` follows the hash.
const hashed = `,"hash":"`

const hashLen = 2 * sha256.Size

// genesis is the first record's Prev.
func genesis() string { return strings.Repeat("0", hashLen) }

// bounded returns the record with every text truncated and masked.
func (r Record) bounded() Record {
	for _, s := range []*string{&r.Type, &r.SessionID, &r.TurnID, &r.RequestID, &r.ToolUseID, &r.Tool, &r.Kind,
		&r.InputHash, &r.Outcome, &r.By, &r.Connection, &r.EditedHash} {
		*s = clip(*s, maxName)
	}
	r.Summary = maskedLine(r.Summary, maxName)
	r.Message = maskedLine(r.Message, maxMessage)
	r.Why = maskedLine(r.Why, maxMessage)
	r.Remembered, r.Rules = boundedList(r.Remembered), boundedList(r.Rules)
	return r
}

func boundedList(all []string) []string {
	if len(all) == 0 {
		return nil
	}
	list := make([]string, 0, maxRemembered)
	for _, s := range all[:min(len(all), maxRemembered)] {
		list = append(list, maskedLine(s, maxMessage))
	}
	return list
}

// encode returns the record's line, with the line end, and its hash.
func (r Record) encode(seq uint64, prev string) (line []byte, hash string, err error) {
	r.Seq, r.Prev, r.Hash = seq, prev, ""
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, "", fmt.Errorf("encode record: %w", err)
	}
	body := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	sum := sha256.Sum256(body)
	hash = hex.EncodeToString(sum[:])
	line = append(body[:len(body)-1:len(body)-1], hashed+hash+"\"}\n"...)
	if len(line) > maxLine {
		return nil, "", fmt.Errorf("a record of %d bytes is too large", len(line))
	}
	return line, hash, nil
}

// Problems of a single line.
var (
	errNoRecord = errors.New("this line is not a record")
	errEdited   = errors.New("this record was changed: it does not fit its own hash")
)

// decode reads a line without its end. Without an error, the record's hash is
// correct.
func decode(line []byte) (Record, error) {
	tail := len(hashed) + hashLen + len(`"}`)
	if len(line) <= tail || line[0] != '{' || !bytes.HasSuffix(line, []byte(`"}`)) {
		return Record{}, errNoRecord
	}
	at := len(line) - tail
	if !bytes.HasPrefix(line[at:], []byte(hashed)) {
		return Record{}, errNoRecord
	}
	hash := string(line[at+len(hashed) : at+len(hashed)+hashLen])
	var r Record
	if json.Unmarshal(line, &r) != nil {
		return Record{}, errNoRecord
	}
	h := sha256.New()
	h.Write(line[:at])
	h.Write([]byte("}"))
	if hex.EncodeToString(h.Sum(nil)) != hash || r.Hash != hash {
		return Record{}, errEdited
	}
	return r, nil
}

// HashInput returns the hexadecimal SHA-256 of a tool's input as the API shows
// it: its bytes without insignificant white space.
func HashInput(input json.RawMessage) string {
	var buf bytes.Buffer
	if json.Compact(&buf, input) == nil {
		input = buf.Bytes()
	}
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:])
}

// clip reduces a text to one line of n characters.
func clip(s string, n int) string {
	// Only as much is read as can be kept, with room for what is removed.
	cut := len(s) > 8*n
	if cut {
		s = s[:8*n]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)), " ")
	if !cut && utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:min(len(runes), n-1)]) + "…"
}
