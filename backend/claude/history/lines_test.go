package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lineAt is a line as a reader returns it; text is "(long)" if it isn't kept.
type lineAt struct {
	span
	text string
}

func text(raw []byte) string {
	if raw == nil {
		return "(long)"
	}
	return string(raw)
}

func readForward(t testing.TB, body []byte, from int64) ([]lineAt, int64) {
	t.Helper()
	var got []lineAt
	end, err := forward(context.Background(), bytes.NewReader(body), from, int64(len(body)), func(s span, raw []byte) error {
		got = append(got, lineAt{s, text(raw)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, end
}

func readBackward(t testing.TB, body []byte, end int64) []lineAt {
	t.Helper()
	var got []lineAt
	back := newBackward(bytes.NewReader(body), end)
	for {
		s, raw, err := back.next()
		if errors.Is(err, io.EOF) {
			slices.Reverse(got)
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, lineAt{s, text(raw)})
	}
}

// split is the reference for both readers.
func split(body []byte) (lines []lineAt, end int64) {
	for raw := range bytes.Lines(body) {
		if raw[len(raw)-1] != '\n' {
			break
		}
		if whole := raw[:len(raw)-1]; len(whole) <= maxWhole && len(records(whole)) > 0 {
			begin := 0
			for _, next := range append(records(whole), len(whole)) {
				lines = append(lines, lineAt{span{end + int64(begin), int64(next - begin), next < len(whole)}, string(whole[begin:next])})
				begin = next
			}
			end += int64(len(raw))
			continue
		}
		l := lineAt{span{at: end, size: int64(len(raw) - 1)}, string(raw[:len(raw)-1])}
		if l.size > maxWhole {
			l.text = "(long)"
		}
		lines = append(lines, l)
		end += int64(len(raw))
	}
	return lines, end
}

func checkReaders(t testing.TB, body []byte) {
	t.Helper()
	want, wantEnd := split(body)
	got, end := readForward(t, body, 0)
	if end != wantEnd || !slices.Equal(got, want) {
		t.Fatalf("forward ends at %d, want %d: %s", end, wantEnd, cmp.Diff(brief(want), brief(got)))
	}
	if got := readBackward(t, body, end); !slices.Equal(got, want) {
		t.Fatalf("backward: %s", cmp.Diff(brief(want), brief(got)))
	}
	for i, l := range want {
		if i%7 == 3 {
			if got, _ := readForward(t, body, l.at); !slices.Equal(got, want[i:]) {
				t.Fatalf("forward from %d differs", l.at)
			}
			if got := readBackward(t, body, l.at); !slices.Equal(got, want[:i]) {
				t.Fatalf("backward from %d differs", l.at)
			}
		}
	}
}

func brief(lines []lineAt) []string {
	var out []string
	for _, l := range lines {
		out = append(out, fmt.Sprintf("%d+%d %.20q", l.at, l.size, l.text))
	}
	return out
}

func TestReaders(t *testing.T) {
	long := strings.Repeat("é", maxWhole/2+10)
	for name, body := range map[string]string{
		"nothing":                   "",
		"one line":                  "a\n",
		"no end":                    "a\nb",
		"only a part":               "ab",
		"empty lines":               "\n\na\n\n",
		"a block exactly":           strings.Repeat("x", blockSize-1) + "\ny\n",
		"one more than a block":     strings.Repeat("x", blockSize) + "\ny\n",
		"end on a border":           "y\n" + strings.Repeat("x", blockSize-3) + "\n",
		"characters on borders":     strings.Repeat("é码🙂", blockSize/3) + "\n" + strings.Repeat("🙂", blockSize) + "\n",
		"as long as may be":         "a\n" + strings.Repeat("x", maxWhole) + "\nb\n",
		"too long":                  "a\n" + strings.Repeat("x", maxWhole+1) + "\nb\n",
		"too long first":            long + "\nb\n",
		"too long last, no end":     "a\n" + long,
		"too long last":             "a\n" + long + "\n",
		"two that are far too long": strings.Repeat("x", 3*maxWhole+5) + "\n" + strings.Repeat("y", 2*maxWhole+5) + "\nz\n",
	} {
		t.Run(name, func(t *testing.T) { checkReaders(t, []byte(body)) })
	}
}

func TestReadersRandom(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var body []byte
		for range rnd.IntN(60) {
			n := rnd.IntN(50)
			if rnd.IntN(6) == 0 {
				n = blockSize*rnd.IntN(3) + rnd.IntN(5) - 2
			}
			body = append(body, bytes.Repeat([]byte{byte('a' + rnd.IntN(26))}, max(n, 0))...)
			body = append(body, '\n')
		}
		checkReaders(t, body[:len(body)-rnd.IntN(min(3, len(body)+1))])
	}
}

func FuzzReaders(f *testing.F) {
	f.Add([]byte("a\nb\n"), 3)
	f.Add([]byte("\n\n"), blockSize)
	f.Fuzz(func(t *testing.T, body []byte, stretch int) {
		if n := bytes.IndexByte(body, 'x'); n >= 0 {
			body = slices.Concat(body[:n], bytes.Repeat([]byte("x"), min(max(stretch, 0), 2*blockSize)), body[n:])
		}
		checkReaders(t, body)
	})
}

// A file that shrinks during a read is noticed.
func TestReadersShrinking(t *testing.T) {
	body := []byte(strings.Repeat("line\n", 1000))
	back := newBackward(bytes.NewReader(body[:10]), int64(len(body)))
	if _, _, err := back.next(); !errors.Is(err, ErrReplaced) {
		t.Errorf("backward: %v", err)
	}
	end, err := forward(context.Background(), bytes.NewReader(body[:12]), 0, int64(len(body)), func(span, []byte) error { return nil })
	if err != nil || end != 10 {
		t.Errorf("forward ended at %d with %v", end, err)
	}
}

func shortened(t testing.TB, body string, keep int) (string, int64) {
	t.Helper()
	whole := cutter{keep: keep}
	whole.write([]byte(body))
	pieces := cutter{keep: keep}
	for i := range len(body) {
		pieces.write([]byte(body[i : i+1]))
	}
	if string(whole.out) != string(pieces.out) || whole.left != pieces.left {
		t.Fatalf("the border of blocks shows:\n%s\n%s", whole.out, pieces.out)
	}
	return string(whole.out), whole.left
}

func TestShorten(t *testing.T) {
	for name, tt := range map[string]struct {
		body, want string
		left       int64
	}{
		"short":              {`{"a":"12345678","b":[1,true,null]}`, `{"a":"12345678","b":[1,true,null]}`, 0},
		"long":               {`{"a":"1234567890abc","b":1}`, `{"a":"123456789… [4 more bytes are in the transcript]","b":1}`, 4},
		"quotes":             {`{"a":"1234567\"90abc\\","b":1}`, `{"a":"1234567\"… [7 more bytes are in the transcript]","b":1}`, 7},
		"escapes":            {`{"a":"123456\u00e9é90\"abc"}`, `{"a":"123456\u00e9… [9 more bytes are in the transcript]"}`, 9},
		"characters":         {`{"a":"1234567🙂90"}`, `{"a":"1234567🙂… [2 more bytes are in the transcript]"}`, 2},
		"picture":            {`{"source":{"type":"base64","data":"AAAAAAAAAAAAAAAA"},"x":"AAAAAAAAAAAA"}`, `{"source":{"type":"base64","data":""},"x":"AAAAAAAAA… [3 more bytes are in the transcript]"}`, 19},
		"text is not a key":  {`{"a":["data","AAAAAAAAAAAA"]}`, `{"a":["data","AAAAAAAAA… [3 more bytes are in the transcript]"]}`, 3},
		"backslash at a cut": {`{"a":"12345678\\\\\\\\"}`, `{"a":"12345678\\… [6 more bytes are in the transcript]"}`, 6},
	} {
		t.Run(name, func(t *testing.T) {
			got, left := shortened(t, tt.body, 8)
			if got != tt.want || left != tt.left || !json.Valid([]byte(got)) {
				t.Errorf("got %d %s\nwant %d %s", left, got, tt.left, tt.want)
			}
		})
	}
}

func FuzzShorten(f *testing.F) {
	f.Add([]byte(`{"a":"1234567890abc","b":[1,{"c":"\u00e9\\\"🙂🙂🙂🙂"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, _ := shortened(t, string(body), 8)
		if json.Valid(body) && !json.Valid([]byte(got)) {
			t.Errorf("%s became %s", body, got)
		}
	})
}

// A line that is long for reasons other than its texts is refused.
func TestShortenRefuses(t *testing.T) {
	body := []byte(`{"a":[` + strings.Repeat("1,", maxShort) + `1]}`)
	if _, _, err := shorten(t.Context(), bytes.NewReader(body), span{size: int64(len(body))}); !errors.Is(err, io.ErrShortBuffer) {
		t.Error(err)
	}
}
