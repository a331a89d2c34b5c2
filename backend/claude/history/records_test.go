package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Records whose line end was lost are found by both readers, and nothing else is
// split.
func TestRecordsOnOneLine(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want []string
	}{
		"one":                        {`{"a":1}`, []string{`{"a":1}`}},
		"two":                        {`{"a":1}{"b":2}`, []string{`{"a":1}`, `{"b":2}`}},
		"three, with blanks":         {`{"a":1} {"b":{"c":[{}]}}{"d":4}`, []string{`{"a":1} `, `{"b":{"c":[{}]}}`, `{"d":4}`}},
		"braces in a text":           {`{"a":"}{"}`, []string{`{"a":"}{"}`}},
		"a quote in a text":          {`{"a":"\"}{\""}{"b":"}{"}`, []string{`{"a":"\"}{\""}`, `{"b":"}{"}`}},
		"a backslash before its end": {`{"a":"\\\\"}{"b":2}`, []string{`{"a":"\\\\"}`, `{"b":2}`}},
		"the first is cut off":       {`{"a":{"b":1}{"c":2}`, []string{`{"a":{"b":1}{"c":2}`}},
		"the last is cut off":        {`{"a":1}{"b":`, []string{`{"a":1}{"b":`}},
		"a list":                     {`[{"a":1},{"b":2}]`, []string{`[{"a":1},{"b":2}]`}},
		"nothing":                    {``, []string{``}},
	} {
		body := []byte("{\"before\":0}\n" + tt.line + "\n{\"after\":0}\n")
		forward, _ := readForward(t, body, 0)
		back := readBackward(t, body, int64(len(body)))
		if diff := cmp.Diff(forward, back, cmp.AllowUnexported(lineAt{}, span{})); diff != "" {
			t.Errorf("%s: forward and backward differ: %s", name, diff)
		}
		var got []string
		for _, l := range forward {
			if string(body[l.at:l.end()]) != l.text {
				t.Errorf("%s: %q is not at its place", name, l.text)
			}
			got = append(got, l.text)
		}
		want := append(append([]string{`{"before":0}`}, tt.want...), `{"after":0}`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
