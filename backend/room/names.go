package room

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley/backend/fold"
)

// Lengths of names, in characters.
const (
	MaxName = 100
	MaxNick = 50
)

// All is the mention of everyone.
const All = "all"

// maxMarks is how many combining marks may follow a letter: some scripts need them,
// but more only make a name overlap adjacent lines.
const maxMarks = 3

// CheckName returns a room's name in stored form: without "#", normalized.
func CheckName(name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(strings.ToValidUTF8(name, "\uFFFD")))
	name = strings.TrimSpace(strings.TrimPrefix(name, "#"))
	if n := utf8.RuneCountInString(name); n < 1 || n > MaxName {
		return "", Errorf(Invalid, "The name of a channel must have 1 to %d characters, not %d.", MaxName, n)
	}
	marks := 0
	for _, r := range name {
		if marks++; !unicode.IsMark(r) {
			marks = 0
		}
		if r == utf8.RuneError || r != ' ' && !unicode.IsGraphic(r) || marks > maxMarks || unicode.In(r, unicode.Zs, blank()) && r != ' ' {
			return "", Errorf(Invalid, "The name of a channel must have visible characters only.")
		}
	}
	return name, nil
}

// blank are invisible letters and symbols.
func blank() *unicode.RangeTable {
	return &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x115F, Hi: 0x1160, Stride: 1}, {Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, {Lo: 0x180B, Hi: 0x180F, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1},
	}, R32: []unicode.Range32{{Lo: 0xE0100, Hi: 0xE01EF, Stride: 1}}}
}

// CheckNick returns a nickname in stored form: letters, digits, "_" and "-",
// normalized.
func CheckNick(nick string) (string, error) {
	nick = norm.NFC.String(strings.TrimSpace(strings.ToValidUTF8(nick, "\uFFFD")))
	nick = strings.TrimPrefix(nick, "@")
	if n := utf8.RuneCountInString(nick); n < 1 || n > MaxNick {
		return "", Errorf(Invalid, "A nickname must have 1 to %d characters, not %d.", MaxNick, n)
	}
	marks := maxMarks // none at the start
	for _, r := range nick {
		if marks++; !unicode.IsMark(r) {
			marks = 0
		}
		if !nickRune(r) || marks > maxMarks {
			return "", Errorf(Invalid, "A nickname can only have letters, digits, \"_\" and \"-\".")
		}
	}
	switch FoldName(nick) {
	case All, "parley":
		return "", Errorf(Invalid, "The nickname %q is reserved. Choose another one.", nick)
	}
	return nick, nil
}

func nickRune(r rune) bool {
	return r == '_' || r == '-' || (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.Is(blank(), r)
}

// MakeNick derives a nickname from any text, "" if nothing in it is valid.
func MakeNick(text string) string {
	var b strings.Builder
	n, marks := 0, maxMarks
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text, " ")) {
		if n == MaxNick {
			break
		}
		switch {
		case unicode.IsMark(r) && marks >= maxMarks:
			continue
		case unicode.IsMark(r):
			marks++
		case !nickRune(r):
			marks = maxMarks
			if s := b.String(); s == "" || strings.HasSuffix(s, "-") {
				continue
			}
			r = '-'
		default:
			marks = 0
		}
		b.WriteRune(r)
		n++
	}
	nick, err := CheckNick(strings.Trim(b.String(), "-"))
	if err != nil {
		return ""
	}
	return nick
}

// FoldName returns a canonical form: names that only differ in case or Unicode form
// are equal.
func FoldName(name string) string { return fold.Text(name) }

// IDOf returns the id of the room with a name: the same wherever it is
// created.
func IDOf(name string) string { return "r-" + digest(FoldName(name)) }

// DirectID returns the id of two members' direct message room.
func DirectID(a, b string) string {
	pair := []string{a, b}
	slices.Sort(pair)
	return "d-" + digest(strings.Join(pair, "\x00"))
}

// IsDirect reports whether an id is a direct message room's.
func IsDirect(id string) bool { return strings.HasPrefix(id, "d-") }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
}

// Mentions finds the members that a text mentions by nickname, ignoring case,
// and everyone. An "@" within a word, as in an address, mentions nobody.
func Mentions(text string, members []Member) (ids []string, all bool) {
	ids = []string{}
	if !strings.Contains(text, "@") {
		return ids, false
	}
	byNick := make(map[string]string, len(members))
	for _, m := range members {
		if m.Left == 0 {
			byNick[FoldName(m.Nick)] = m.ID
		}
	}
	text = norm.NFC.String(text)
	before := ' '
	for i, r := range text {
		if r == '@' && !nickRune(before) {
			name := FoldName(leading(text[i+1:]))
			id, known := byNick[name]
			if !known { // "@bob-" at the end of a clause
				name = strings.TrimRight(name, "-_")
				id, known = byNick[name]
			}
			switch {
			case known && !slices.Contains(ids, id):
				ids = append(ids, id)
			case name == All:
				all = true
			}
		}
		before = r
	}
	return ids, all
}

// leading returns the prefix of a text that may be a nickname.
func leading(text string) string {
	n := 0
	for i, r := range text {
		if !nickRune(r) || n == MaxNick {
			return text[:i]
		}
		n++
	}
	return text
}
