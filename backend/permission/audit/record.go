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
	// Asked says that a question was opened.
	Asked = "asked"
	// Ended says how a question ended.
	Ended = "ended"
	// Gap says that records could not be written: Lost of them, since At.
	Gap = "gap"
	// Torn says that a crash left a part of a line, which was removed: Lost bytes.
	Torn = "torn"
	// Ruled says that a rule was made, changed or removed.
	Ruled = "rule"
	// Chatted says that somebody did something through the chat, or was refused: Kind is
	// how, Summary what.
	Chatted = "chat"
	// Outside says what a user decided about a change that was made outside of Parley:
	// Kind is what was changed.
	Outside = "outside"
	// Restored says that a snapshot took the place of what was there: Kind is the snapshot's
	// name, By who decided that.
	Restored = "restored"
	// Budgeted says how much a user wants to spend from now on: Message has the figures.
	Budgeted = "budget"
	// Intruder says that somebody else than Parley spoke to a session's CLI; Summary is how
	// that was noticed.
	Intruder = "intruder"
	// Broken says that the log was not as it had been left.
	Broken = "broken"
)

// Lost is the outcome of a question that was open when Parley crashed. The other
// outcomes are the caller's.
const Lost = "lost"

// Record is one line of the log. Texts are cut to a stated length in characters,
// and what looks like a secret in them is masked.
type Record struct {
	// Seq counts the records from 1. The log sets it.
	Seq uint64 `json:"seq"`
	// At is the time in milliseconds since 1970; 0 is set by the log.
	At int64 `json:"at"`
	// Type is one of the constants.
	Type string `json:"type"`

	// These name the question, up to 200 each.
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	ToolUseID string `json:"toolUseId,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Kind      string `json:"kind,omitempty"`
	// InputHash is the SHA-256 of the tool's input, see [HashInput].
	InputHash string `json:"inputSha256,omitempty"`
	// Summary is a line about the input, up to 200.
	Summary string `json:"summary,omitempty"`

	// Outcome says how the question ended; By is the surface that answered or what
	// else ended it, Connection which client of the surface. Up to 200 each.
	Outcome    string `json:"outcome,omitempty"`
	By         string `json:"by,omitempty"`
	Connection string `json:"connection,omitempty"`
	// Message is what the model was told, or what a record that is about no question
	// has to say, up to 500.
	Message string `json:"message,omitempty"`
	// Remembered are the rules that were made with the answer: up to 8, up to 500
	// each.
	Remembered []string `json:"remembered,omitempty"`
	// Rules are those that decided, or that a record with [Ruled] is about, up to 8 of up
	// to 500 each; Why is what let it pass, up to 500.
	Rules []string `json:"rules,omitempty"`
	Why   string   `json:"why,omitempty"`
	// EditedHash is the SHA-256 of the input that was allowed, where it is not the
	// one that was asked about.
	EditedHash string `json:"editedSha256,omitempty"`

	// Lost counts what is missing with [Gap] and [Torn].
	Lost uint64 `json:"lost,omitempty"`
	// Store is the mark of the store when this was written, see [Log.SetStore]. The log
	// sets it.
	Store string `json:"store,omitempty"`
	// Prev is the hash of the record before, 64 zeros for the first one. The log
	// sets it.
	Prev string `json:"prev"`
	// Hash is the SHA-256 of the line without this field. The log sets it.
	Hash string `json:"hash,omitempty"`
}

const (
	maxName       = 200
	maxMessage    = 500
	maxRemembered = 8
	maxStore      = 64
	// maxLine is more than the longest record can take.
	maxLine = 64 << 10
)

// hashed is what stands between a record and its hash, behind which only `"}`
// follows.
const hashed = `,"hash":"`

const hashLen = 2 * sha256.Size

// genesis is what the first record has for the hash of the one before.
func genesis() string { return strings.Repeat("0", hashLen) }

// bounded is the record with every text cut and masked.
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

// encode is the record's line, with the line end, and its hash.
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

// What can be wrong with a line by itself.
var (
	errNoRecord = errors.New("this line is not a record")
	errEdited   = errors.New("this record was changed: it does not fit its own hash")
)

// decode reads a line without its end. The hash of the record is right, unless
// there is an error.
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

// HashInput is the SHA-256, in hexadecimal, of a tool's input as the border shows
// it: its bytes without the white space between them.
func HashInput(input json.RawMessage) string {
	var buf bytes.Buffer
	if json.Compact(&buf, input) == nil {
		input = buf.Bytes()
	}
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:])
}

// clip makes one line of a text and cuts it to n characters.
func clip(s string, n int) string {
	// No more is looked at than can be kept, with room for what falls away.
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
