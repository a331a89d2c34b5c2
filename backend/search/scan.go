package search

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// longestToken is the maximum length in bytes, folded. Anything longer isn't a
	// word.
	longestToken = 64
	// longestRun is the longest run of letters, digits and base64 characters that
	// counts as text. Of a longer one, at most half as much is indexed.
	longestRun = 512
)

// token is a folded word of a text, and its position.
type token struct {
	folded     []byte // valid until the next one
	start, end int    // in the text, in bytes
	// half is the end of the first character of a pair; 0 if the token isn't a
	// pair.
	half int
}

// scanner splits a text into tokens. A token is a run of letters and digits, in
// lower case and without accents. Scripts without spaces yield pairs of adjacent
// characters, and the last character of a run alone, so that any part of a run can
// be found.
//
//	Übergröße: snake_case v2    ubergrosse snake case v2
//	全文検索                     全文 文検 検索 索
type scanner struct {
	text  string
	pos   int
	probe int // next position to check for an overlong run
	buf   [longestToken + utf8.UTFMax]byte
	tok   token
}

func (s *scanner) reset(text string) {
	s.text, s.pos, s.probe = text, 0, longestRun/2
}

// next advances to the next token.
func (s *scanner) next() bool {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			if ascii[c]&word == 0 {
				s.pos++
				continue
			}
		} else {
			r, size := utf8.DecodeRuneInString(s.text[s.pos:])
			if unspaced(r) {
				s.pair(size)
				return true
			}
			if !isWord(r) {
				s.pos += size
				continue
			}
		}
		if s.pos >= s.probe && s.skipRun() {
			continue
		}
		if s.word() {
			return true
		}
	}
	return false
}

// pair takes the character at pos and its neighbor.
func (s *scanner) pair(size int) {
	half, folded := s.sign(s.buf[:0], s.pos, size)
	s.tok = token{start: s.pos, end: half}
	if r, more := utf8.DecodeRuneInString(s.text[half:]); unspaced(r) {
		s.tok.half = half
		s.tok.end, folded = s.sign(folded, half, more)
	}
	s.tok.folded = folded
	s.pos = half
}

// sign appends the comparison form of an unspaced script's character. Decomposed Korean
// syllables and voiced kana are composed; narrow kana are widened, and characters duplicated
// for other standards are unified.
func (s *scanner) sign(to []byte, at, size int) (end int, folded []byte) {
	end = at + size
	for range maxParts {
		r, more := utf8.DecodeRuneInString(s.text[end:])
		if !isPart(r) {
			break
		}
		end += more
	}
	r, _ := utf8.DecodeRuneInString(s.text[at:])
	if end == at+size && !(isPart(r) || r >= 0x1100 && r <= 0x11ff || r >= 0xf900 && r <= 0xfaff || r >= 0xff66 && r <= 0xff9f || r >= 0x2f800 && r <= 0x2fa1f) {
		return end, append(to, s.text[at:end]...)
	}
	return end, norm.NFKC.AppendString(to, s.text[at:end])
}

// maxParts is how many parts follow the first one of a character: the vowel and the final
// consonant of a Korean syllable.
const maxParts = 2

// isPart reports whether a character belongs to the preceding one: a vowel or final
// consonant of a Korean syllable, or a kana voicing mark.
func isPart(r rune) bool {
	return r >= 0x1160 && r <= 0x11ff || r == 0x3099 || r == 0x309a || r == 0xff9e || r == 0xff9f
}

// word takes the word at pos; false if it is too long to be one.
func (s *scanner) word() bool {
	start, n, i := s.pos, 0, s.pos
	for i < len(s.text) {
		c := s.text[i]
		if c < utf8.RuneSelf {
			if ascii[c]&word == 0 {
				break
			}
			if n < longestToken {
				s.buf[n] = c | ascii[c]&toSmall
			}
			n++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if unspaced(r) || !isWord(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		if n < longestToken {
			n = len(appendFolded(s.buf[:n], r))
		} else {
			n++
		}
		i += size
	}
	s.pos = i
	if n == 0 || n > longestToken {
		return false
	}
	s.tok = token{folded: s.buf[:n], start: start, end: i}
	return true
}

// skipRun skips a run that is data rather than text. Such a run is longer than
// the distance between the checked positions, so that most text isn't scanned
// twice.
func (s *scanner) skipRun() bool {
	for s.probe < s.pos {
		s.probe += longestRun / 2
	}
	at := s.pos
	for at < len(s.text) && at-s.pos <= longestRun && ascii[s.text[at]]&data != 0 {
		at++
	}
	if at-s.pos <= longestRun {
		return false
	}
	for at < len(s.text) && ascii[s.text[at]]&data != 0 {
		at++
	}
	s.pos = at
	return true
}

// appendFolded appends the comparison form of a letter of any script: in lower
// case and without accents.
func appendFolded(b []byte, r rune) []byte {
	var in [utf8.UTFMax]byte
	p := norm.NFKD.Properties(in[:utf8.EncodeRune(in[:], r)])
	d := p.Decomposition()
	if d == nil {
		return appendSmall(b, r)
	}
	for len(d) > 0 && len(b) <= longestToken {
		r, size := utf8.DecodeRune(d)
		d = d[size:]
		if isWord(r) {
			b = appendSmall(b, r)
		}
	}
	return b
}

func appendSmall(b []byte, r rune) []byte {
	switch r {
	case 'ß', 'ẞ':
		return append(b, "ss"...)
	case 'æ', 'Æ':
		return append(b, "ae"...)
	case 'œ', 'Œ':
		return append(b, "oe"...)
	case 'ø', 'Ø':
		return append(b, 'o')
	case 'ł', 'Ł':
		return append(b, 'l')
	case 'đ', 'Đ':
		return append(b, 'd')
	case 'ı':
		return append(b, 'i')
	case 'ς':
		r = 'σ'
	}
	if unicode.Is(unicode.Mn, r) {
		return b
	}
	return utf8.AppendRune(b, unicode.ToLower(r))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsNumber(r) }

// unspaced reports whether a character belongs to a script without spaces
// between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese; and Korean, whose
// words have endings.
func unspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r <= 0x0eff, r >= 0x1000 && r <= 0x109f, r >= 0x1100 && r <= 0x11ff, r >= 0x1780 && r <= 0x17ff:
		return r != '฿' && r != '។' && r != '៛'
	case r >= 0x3041 && r <= 0x30fa, r >= 0x30fc && r <= 0x30ff, r >= 0x31f0 && r <= 0x31ff:
		return true
	case r >= 0x3400 && r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff:
		return true
	case r >= 0xff66 && r <= 0xff9f, r >= 0x20000 && r <= 0x3ffff:
		return true
	case r == '々' || r == '〆' || r == '〇':
		return true
	}
	return false
}

// The classes of bytes below 128.
const (
	word    = 1
	data    = 2
	toSmall = 'a' - 'A'
)

var ascii = [256]byte{
	'0': 3, '1': 3, '2': 3, '3': 3, '4': 3, '5': 3, '6': 3, '7': 3, '8': 3, '9': 3,
	'a': 3, 'b': 3, 'c': 3, 'd': 3, 'e': 3, 'f': 3, 'g': 3, 'h': 3, 'i': 3, 'j': 3, 'k': 3, 'l': 3, 'm': 3,
	'n': 3, 'o': 3, 'p': 3, 'q': 3, 'r': 3, 's': 3, 't': 3, 'u': 3, 'v': 3, 'w': 3, 'x': 3, 'y': 3, 'z': 3,
	'A': 35, 'B': 35, 'C': 35, 'D': 35, 'E': 35, 'F': 35, 'G': 35, 'H': 35, 'I': 35, 'J': 35, 'K': 35, 'L': 35, 'M': 35,
	'N': 35, 'O': 35, 'P': 35, 'Q': 35, 'R': 35, 'S': 35, 'T': 35, 'U': 35, 'V': 35, 'W': 35, 'X': 35, 'Y': 35, 'Z': 35,
	'+': 2, '/': 2, '=': 2, '-': 2, '_': 2,
}

// hash returns the hash of a folded token.
func hash(b []byte) uint32 {
	h := uint64(len(b)) * 0x9e3779b97f4a7c15
	for len(b) >= 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var rest uint64
	for i, c := range b {
		rest |= uint64(c) << (8 * i)
	}
	h = mix(h ^ rest)
	return uint32(h ^ h>>32)
}

func mix(h uint64) uint64 {
	hi, lo := bits.Mul64(h, 0xd6e8feb86659fd93)
	return hi ^ lo
}
