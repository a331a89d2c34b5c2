package method_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/method"
	"parley/backend/fault"
)

type embedded struct {
	Inner string `json:"inner"`
}

type params struct {
	Name    string          `json:"name"`
	Mode    string          `json:"mode,omitempty"`
	Count   int             `json:"count,omitempty"`
	Small   uint8           `json:"small,omitempty"`
	Ratio   float64         `json:"ratio,omitempty"`
	On      *bool           `json:"on,omitempty"`
	List    []item          `json:"list,omitempty"`
	Extra   map[string]any  `json:"extra,omitempty"`
	Free    json.RawMessage `json:"free,omitempty"`
	Strings map[string]int  `json:"strings,omitempty"`
	embedded
}

type item struct {
	ID   string `json:"id"`
	Size int64  `json:"size,omitempty"`
}

type result struct {
	Value float64        `json:"value"`
	Any   any            `json:"any,omitempty"`
	Items []item         `json:"items"`
	More  map[string]any `json:"more,omitempty"`
}

func echo(_ context.Context, p params) (params, error) { return p, nil }

func newMethod() *method.Method {
	return method.New("test.echo", "Gives back what it got.", echo).Enum("mode", "fast", "slow")
}

func TestCheck(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"all", `{"name":"a","inner":"b","mode":"fast","count":-3,"small":255,"ratio":1.5,"on":true,` +
			`"list":[{"id":"x","size":9007199254740993}],"extra":{"a":{"b":[1]}},"free":[null],"strings":{"a":1}}`, ""},
		{"least", `{"name":"","inner":""}`, ""},
		{"null means left out", `{"name":"a","inner":"b","mode":null,"count":null,"on":null,"list":null,"extra":null,"free":null}`, ""},
		{"empty optional choice", `{"name":"a","inner":"b","mode":""}`, ""},
		{"escaped name", `{"\u006eame":"a","inner":"b"}`, ""},
		{"nothing", ``, `missing parameter "name"; missing parameter "inner"`},
		{"null", ` null `, `missing parameter "name"; missing parameter "inner"`},
		{"not JSON", `{"name":`, `the parameters are not JSON`},
		{"two values", `{} {}`, `the parameters are not JSON`},
		{"not UTF-8", "{\"name\":\"\xff\",\"inner\":\"\"}", `the parameters are not UTF-8`},
		{"list", `[1]`, `the parameters must be an object, not a list`},
		{"string", `"x"`, `the parameters must be an object, not a string`},
		{"unknown", `{"name":"a","inner":"b","nope":1,"Name":"x"}`,
			`unknown parameter "nope"; unknown parameter "Name" (did you mean "name"?)`},
		{"required null", `{"name":null,"inner":"b"}`, `"name" must be a string, not null`},
		{"wrong types", `{"name":1,"inner":{},"on":"yes","list":{},"extra":[],"strings":{"a":"b"}}`,
			`"name" must be a string, not the number 1; "inner" must be a string, not an object; ` +
				`"on" must be true or false, not a string; "list" must be a list, not an object; ` +
				`"extra" must be an object, not a list; "strings.a" must be a whole number, not a string`},
		{"enum", `{"name":"a","inner":"b","mode":"warp"}`, `"mode" must be one of "fast", "slow", not "warp"`},
		{"numbers", `{"name":"a","inner":"b","count":1e2,"small":256,"ratio":1e999}`,
			`"count" must be a whole number, written without fraction or exponent; "small" is out of range; "ratio" is out of range`},
		{"huge integer", `{"name":"a","inner":"b","count":99999999999999999999}`, `"count" is out of range`},
		{"negative unsigned", `{"name":"a","inner":"b","small":-1}`, `"small" is out of range`},
		{"in a list", `{"name":"a","inner":"b","list":[{"id":"x"},{"size":"y","z":0}]}`,
			`"list[1].size" must be a whole number, not a string; unknown parameter "list[1].z"; missing parameter "list[1].id"`},
		{"twice", `{"name":"a","inner":"b","name":"c"}`, `"name" is given twice`},
		{"long name", `{"name":"a","inner":"b","` + strings.Repeat("x", 500) + `":1}`,
			`unknown parameter "` + strings.Repeat("x", 80) + `…"`},
		{"deep", `{"name":"a","inner":"b","extra":` + strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20000) + `}`,
			`the parameters are not JSON`},
	}
	m := newMethod()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := m.Check(json.RawMessage(tt.in))
			want := tt.want
			if want != "" {
				want = "test.echo: " + want
			}
			if diff := cmp.Diff(want, fault.MessageOf(err)); diff != "" {
				t.Error(diff)
			}
			if want != "" && fault.CodeOf(err) != fault.Invalid {
				t.Errorf("code %q", fault.CodeOf(err))
			}
		})
	}
}

func TestManyProblemsAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"name":"a","inner":"b"`)
	for i := range 1000 {
		fmt.Fprintf(&b, `,"x%d":1`, i)
	}
	b.WriteString("}")
	message := fault.MessageOf(newMethod().Check(json.RawMessage(b.String())))
	if !strings.HasSuffix(message, `unknown parameter "x19"; and 980 more`) {
		t.Error(message)
	}
}

// methods are a feature.
type methods []*method.Method

func (m methods) Methods() []*method.Method { return m }

type evil struct{}

func (evil) MarshalJSON() ([]byte, error) { panic("evil") }

func TestCall(t *testing.T) {
	var log bytes.Buffer
	all := methods{newMethod()}
	give := func(name string, v any) {
		all = append(all, method.New(name, "", func(context.Context, struct{}) (result, error) {
			return result{Any: v, Items: []item{}}, nil
		}))
	}
	loop := map[string]any{}
	loop["loop"] = loop
	give("good", "<é>")
	give("nan", math.NaN())
	give("infinite", math.Inf(1))
	give("channel", make(chan int))
	give("function", func() {})
	give("cycle", loop)
	give("evil", evil{})
	give("bytes", json.RawMessage("\"\xff\""))
	fail := func(name string, err error) {
		all = append(all, method.New(name, "", func(context.Context, struct{}) (result, error) { return result{}, err }))
	}
	fail("plain", errors.New("secret detail"))
	fail("full", &fs.PathError{Op: "write", Path: "/secret/detail", Err: syscall.ENOSPC})
	fail("descriptors", fmt.Errorf("secret detail: %w", syscall.EMFILE))
	fail("fault", fault.New(fault.Busy, "wait a little"))
	fail("left", context.Canceled)
	all = append(all, method.New("panics", "", func(context.Context, struct{}) (result, error) {
		var p *params
		return result{Value: float64(p.Count)}, nil
	}))
	table := method.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}.New(all)

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name, params string
		want         string
		code         fault.Code
		message      string
		logged       string
	}{
		{"good", ``, `{"value":0,"any":"<é>","items":[]}`, "", "", ""},
		{"bytes", ``, `{"value":0,"any":"` + "\uFFFD" + `","items":[]}`, "", "", ""},
		{"test.echo", `{"name":"a","inner":"b","count":7}`, `{"name":"a","count":7,"inner":"b"}`, "", "", ""},
		{"test.echo", `{"name":"a"}`, "", fault.Invalid, `test.echo: missing parameter "inner"`, ""},
		{"no.such", ``, "", fault.NotFound, `unknown method "no.such"; method.list lists all methods`, ""},
		{"nan", ``, "", fault.Internal, "nan returned a result that cannot be sent. The log has the details.", "unsupported value"},
		{"infinite", ``, "", fault.Internal, "infinite returned a result that cannot be sent. The log has the details.", "unsupported value"},
		{"channel", ``, "", fault.Internal, "channel returned a result that cannot be sent. The log has the details.", "unsupported type"},
		{"function", ``, "", fault.Internal, "function returned a result that cannot be sent. The log has the details.", "unsupported type"},
		{"cycle", ``, "", fault.Internal, "cycle returned a result that cannot be sent. The log has the details.", "cycle"},
		{"evil", ``, "", fault.Internal, "evil failed because of a bug in Parley. The log has the details.", "stack"},
		{"panics", ``, "", fault.Internal, "panics failed because of a bug in Parley. The log has the details.", "nil pointer"},
		{"plain", ``, "", fault.Internal, "Something went wrong inside Parley. The log has the details.", "secret detail"},
		{"full", ``, "", fault.Unavailable, "The disk is full. Free some space and try again.", "/secret/detail"},
		{"descriptors", ``, "", fault.Unavailable, "Too many files are open on this computer. Close some sessions, or allow more open files (ulimit -n), and try again.", "secret detail"},
		{"fault", ``, "", fault.Busy, "wait a little", ""},
		{"left", ``, "", fault.Unavailable, "left was canceled because the client disconnected", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log.Reset()
			ctx := t.Context()
			if tt.name == "left" {
				ctx = cancelled
			}
			got, err := table.Call(ctx, tt.name, json.RawMessage(tt.params))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if fault.CodeOf(err) != tt.code || fault.MessageOf(err) != tt.message {
				t.Errorf("error %q %q, want %q %q", fault.CodeOf(err), fault.MessageOf(err), tt.code, tt.message)
			}
			if (tt.logged == "") != (log.Len() == 0) || !strings.Contains(log.String(), tt.logged) {
				t.Errorf("logged %q, want %q", log.String(), tt.logged)
			}
		})
	}
}

func TestFormerNamesKeepWorking(t *testing.T) {
	table := method.Config{Logger: slog.New(slog.DiscardHandler)}.New(methods{newMethod().Was("test.say")})
	for _, name := range []string{"test.echo", "test.say"} {
		if got, err := table.Call(t.Context(), name, json.RawMessage(`{"name":"x","inner":"y"}`)); err != nil || !strings.Contains(string(got), `"x"`) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if n := len(table.List()); n != 5 { // with those of connections
		t.Errorf("%d methods are listed", n)
	}
}

func TestMistakesOfTheProgrammerPanic(t *testing.T) {
	type noTag struct{ Field string }
	type snake struct {
		OneTwo string `json:"one_two"`
	}
	type moment struct {
		At time.Time `json:"at"`
	}
	type bytesField struct {
		Data []byte `json:"data"`
	}
	type chanField struct {
		C chan int `json:"c"`
	}
	tests := map[string]func(){
		"name":       func() { method.New("No Good", "", echo) },
		"tag":        func() { method.New("a", "", func(context.Context, noTag) (item, error) { return item{}, nil }) },
		"bytes":      func() { method.New("a", "", func(context.Context, bytesField) (item, error) { return item{}, nil }) },
		"channel":    func() { method.New("a", "", func(context.Context, chanField) (item, error) { return item{}, nil }) },
		"snake case": func() { method.New("a", "", func(context.Context, snake) (item, error) { return item{}, nil }) },
		"result":     func() { method.New("a", "", func(context.Context, item) (moment, error) { return moment{}, nil }) },
		"not struct": func() { method.New("a", "", func(context.Context, string) (item, error) { return item{}, nil }) },
		"map": func() {
			method.New("a", "", func(context.Context, map[string]int) (item, error) { return item{}, nil })
		},
		"enum": func() { method.New("a", "", echo).Enum("nope", "x") },
		"a former name that is taken": func() {
			method.Config{Logger: slog.New(slog.DiscardHandler)}.New(methods{newMethod(), method.New("a", "", echo).Was("test.echo")})
		},
		"twice": func() {
			method.Config{Logger: slog.New(slog.DiscardHandler)}.New(methods{newMethod()}, methods{newMethod()})
		},
	}
	for name, fn := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			fn()
		})
	}
}

func TestContext(t *testing.T) {
	ctx := t.Context()
	if method.Surface(ctx) != "" || method.Connection(ctx) != "" || method.EventFilterOf(ctx) != nil {
		t.Error("a bare context says something")
	}
	if got := method.Connection(method.WithConnection(ctx, "one")); got != "one" {
		t.Errorf("connection %q", got)
	}
	if got := method.Surface(method.WithSurface(ctx, "window")); got != "window" {
		t.Errorf("surface %q", got)
	}
}
