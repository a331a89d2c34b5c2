package host

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestFrames(t *testing.T) {
	var stream []byte
	stream = encode(stream, kindInput, 7, numbers(1), []byte("one"))
	stream, err := encodeText(stream, kindHello, 0, greeting{Version: 1, Oldest: 1})
	if err != nil {
		t.Fatal(err)
	}
	stream = encode(stream, kindHangUp, 1<<63)
	d := decoder{r: iotest.OneByteReader(bytes.NewReader(stream))}
	f, err := d.next()
	if err != nil || f.kind != kindInput || f.id != 7 || f.number(0) != 1 || string(f.body[number:]) != "one" {
		t.Errorf("%+v %v", f, err)
	}
	var g greeting
	if f, err = d.next(); err != nil || f.kind != kindHello || f.text(&g) != nil || g.Version != 1 {
		t.Errorf("%+v %v", f, err)
	}
	if f, err = d.next(); err != nil || f.kind != kindHangUp || f.id != 1<<63 || len(f.body) > 0 {
		t.Errorf("%+v %v", f, err)
	}
	if _, err = d.next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	for name, stream := range map[string][]byte{
		"too long":       encode(nil, kindInput, 1, numbers(1), make([]byte, maxInput+1)),
		"too short":      encode(nil, kindTaken, 1, numbers(1)),
		"no head":        {0, 0, 0, 3, byte(kindHello), 0, 0, 0, 0, 0, 0, 0, 0},
		"unknown":        encode(nil, 50, 1),
		"huge":           {255, 255, 255, 255, byte(kindHello), 0, 0, 0, 0, 0, 0, 0, 0},
		"something else": []byte("GET / HTTP/1.1\r\nHost: here\r\n\r\n"),
	} {
		d := decoder{r: bytes.NewReader(stream)}
		if f, err := d.next(); !errors.Is(err, errProtocol) {
			t.Errorf("%s: %+v %v", name, f, err)
		}
	}
	for _, cut := range []int{1, 5, 14, len(encode(nil, kindInput, 1, numbers(1), []byte("x"))) - 1} {
		d := decoder{r: bytes.NewReader(encode(nil, kindInput, 1, numbers(1), []byte("x"))[:cut])}
		if _, err := d.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	if _, err := encodeText(nil, kindStart, 1, make([]byte, maxText)); err == nil {
		t.Error("a frame is too long, and made")
	}
}

func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		newest, oldest int
		ok             bool
	}{{1, 1, true}, {2, 2, true}, {9, 1, true}, {9, 3, false}, {0, 0, false}} {
		if err := (greeting{Version: tt.newest, Oldest: tt.oldest}).speaks(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// For any input, the decoder returns valid frames, needs no more memory than one of them,
// and returns what was encoded.
func FuzzDecoder(f *testing.F) {
	f.Add(encode(encode(nil, kindInput, 7, numbers(1), []byte("one")), kindHangUp, 7))
	f.Add(encode(nil, kindTaken, 1, numbers(1, 2)))
	f.Add([]byte{0, 0, 0, 9, 1})
	f.Add([]byte{255, 255, 255, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, stream []byte) {
		d := decoder{r: bytes.NewReader(stream)}
		for at := 0; ; {
			got, err := d.next()
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errProtocol) {
					t.Fatal(err)
				}
				return
			}
			least, most, known := got.kind.limits()
			if !known || len(got.body) < least || len(got.body) > most || cap(d.body) > max(maxText, 2*maxInput) {
				t.Fatalf("kind %d with %d bytes", got.kind, len(got.body))
			}
			again := encode(nil, got.kind, got.id, got.body)
			if !bytes.Equal(again, stream[at:at+len(again)]) {
				t.Fatalf("%x is not %x", again, stream[at:])
			}
			at += len(again)
		}
	})
}
