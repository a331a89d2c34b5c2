package transcript

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// A transcript has lines of many megabytes, of which a few small fields matter.
// These functions find a value's end without parsing it: within strings they jump
// from quote to quote, which is ten times faster than a decoder. They take lines
// that a program wrote as JSON; broken input ends early and never panics.

// members calls fn for every member of a JSON object until fn returns false. It
// reports whether the object was complete. The last member's value of a truncated
// object is truncated.
func members(obj []byte, fn func(key, value []byte) bool) bool {
	i := blank(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return false
	}
	for i++; ; {
		i = blank(obj, i)
		if i >= len(obj) || obj[i] != '"' {
			return i < len(obj) && obj[i] == '}'
		}
		end := skipString(obj, i)
		if end < 0 {
			return false
		}
		key := obj[i+1 : end-1]
		i = blank(obj, end)
		if i >= len(obj) || obj[i] != ':' {
			return false
		}
		i = blank(obj, i+1)
		end = skip(obj, i)
		if end < 0 {
			if i < len(obj) {
				fn(key, obj[i:])
			}
			return false
		}
		if !fn(key, obj[i:end]) {
			return true
		}
		i = blank(obj, end)
		if i < len(obj) && obj[i] == ',' {
			i++
		}
	}
}

// elements calls fn for every element of a JSON array until fn returns false. The
// last element of a truncated array is truncated.
func elements(arr []byte, fn func(value []byte) bool) {
	i := blank(arr, 0)
	if i >= len(arr) || arr[i] != '[' {
		return
	}
	for i++; ; {
		i = blank(arr, i)
		if i >= len(arr) || arr[i] == ']' {
			return
		}
		end := skip(arr, i)
		if end < 0 {
			fn(arr[i:])
			return
		}
		if !fn(arr[i:end]) {
			return
		}
		i = blank(arr, end)
		if i < len(arr) && arr[i] == ',' {
			i++
		}
	}
}

// skip returns the index after the value that starts at i, or -1 if the value is
// truncated or missing.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] != ':' && b[i] != '"' && b[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipNested(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := skipString(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// skipString returns the index after the string that starts at i, or -1 if it is
// truncated. A quote ends it if an even number of backslashes precedes it.
func skipString(b []byte, i int) int {
	for i++; ; {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j + 1
		if !escaped(b, i-1) {
			return i
		}
	}
}

func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// escaped reports whether the quote at i belongs to the string that starts before it.
func escaped(b []byte, i int) bool {
	slashes := 0
	for i--; b[i] == '\\'; i-- {
		slashes++
	}
	return slashes%2 != 0
}

// str returns the value of a JSON string, "" for any other value. A truncated
// string returns what is there.
func str(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	body := raw[1:]
	// A string from members and elements contains no other quote.
	whole := body[len(body)-1] == '"' && !escaped(raw, len(raw)-1)
	if whole {
		body = body[:len(body)-1]
	}
	if bytes.IndexByte(body, '\\') < 0 {
		return mended(string(body))
	}
	if whole {
		return mended(gjson.ParseBytes(raw).Str)
	}
	// A partial escape at the end is dropped.
	if at := bytes.LastIndexByte(body, '\\'); at >= 0 && len(body)-at < len(`\u0000`) {
		body = bytes.TrimRight(body[:at], `\`)
	}
	return mended(gjson.Parse(`"` + string(body) + `"`).Str)
}

// mended replaces invalid UTF-8. Nearly everything is valid, and checking is faster than
// replacing.
func mended(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// member returns one member of an object, nil if missing.
func member(obj []byte, name string) []byte {
	var found []byte
	members(obj, func(key, value []byte) bool {
		if string(key) == name {
			found = value
		}
		return found == nil
	})
	return found
}

func isTrue(raw []byte) bool { return string(raw) == "true" }
