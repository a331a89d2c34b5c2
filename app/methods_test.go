package app_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/app/devices"
	"parley/app/method"
	"parley/backend/fault"
	"parley/backend/paths"
)

func newApp(t *testing.T) *app.App {
	t.Helper()
	dir := t.TempDir()
	a, err := app.New(app.Config{
		Version:    "test",
		Dirs:       paths.Dirs{Home: dir, Data: filepath.Join(dir, "data"), Cache: filepath.Join(dir, "cache"), Runtime: dir},
		Env:        []string{"HOME=" + dir, "PATH=/nowhere"},
		Executable: os.Args[0],
		Logger:     slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// The methods of the stable API exist; external programs rely on them.
func TestTheBorderIsComplete(t *testing.T) {
	table := app.Methods(slog.New(slog.DiscardHandler))
	for _, name := range []string{
		"session.create", "session.prompt", "session.interrupt", "session.close", "session.get", "session.list",
		"session.history", "session.setPermissionMode", "session.setModel", "session.setEffort",
		"permission.list", "permission.respond", "subscribe", "unsubscribe", "method.list",
	} {
		if table.Lookup(name) == nil {
			t.Errorf("%s is missing", name)
		}
	}
	for _, m := range table.List() {
		if !strings.HasSuffix(m.Doc, ".") {
			t.Errorf("%s has no sentence about it: %q", m.Name, m.Doc)
		}
	}
}

// The lists of methods for devices only name existing methods.
func TestMethodsOfDevices(t *testing.T) {
	table := app.Methods(slog.New(slog.DiscardHandler))
	for _, name := range slices.Concat(devices.Looks, devices.Answers, devices.Owners) {
		if table.Lookup(name) == nil {
			t.Errorf("there is no method %s", name)
		}
	}
}

// Every parameter is documented.
func TestEveryParameterIsDescribed(t *testing.T) {
	for _, m := range app.Methods(slog.New(slog.DiscardHandler)).List() {
		for _, param := range m.Parameters() {
			if param.Doc == "" {
				t.Errorf("%s: nothing is said about %s", m.Name, param.Name)
			}
		}
		if err := m.Check(m.Example()); err != nil {
			t.Errorf("the example %s: %v", m.Example(), err)
		}
	}
}

func TestAConnectionKnowsItself(t *testing.T) {
	a := newApp(t)
	ctx := method.WithConnection(method.WithSurface(t.Context(), "gateway"), "c1")
	if got, err := a.Methods().Call(ctx, "gateway.welcome", nil); err != nil || string(got) != `{"connectionId":"c1","surface":"gateway"}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestMethodListDescribesEveryMethod(t *testing.T) {
	a := newApp(t)
	raw, err := a.Methods().Call(t.Context(), "method.list", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Methods []struct {
			Name    string
			Example json.RawMessage
			Params  struct {
				Type                 string
				Properties           map[string]json.RawMessage
				Required             []string
				AdditionalProperties any
			}
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Methods) != len(a.Methods().List()) {
		t.Errorf("%d methods, want %d", len(list.Methods), len(a.Methods().List()))
	}
	for _, m := range list.Methods {
		if m.Params.Type != "object" || m.Params.AdditionalProperties == nil {
			t.Errorf("%s takes more than it names: %+v", m.Name, m.Params)
		}
		for name, schema := range m.Params.Properties {
			if !strings.Contains(string(schema), `"description":"`) {
				t.Errorf("%s: %s has no description", m.Name, name)
			}
		}
		if len(m.Example) == 0 || m.Example[0] != '{' {
			t.Errorf("%s has no example: %s", m.Name, m.Example)
		}
		if got := string(m.Params.Properties["behavior"]); m.Name == "permission.respond" && !strings.Contains(got, `["allow","deny"]`) {
			t.Errorf("behavior: %s", got)
		}
		if m.Name == "session.create" && (len(m.Params.Required) != 1 || m.Params.Required[0] != "cwd") {
			t.Errorf("session.create requires %v", m.Params.Required)
		}
	}
}

// Results match their schemas, and so the TypeScript: no missing or unknown fields, and no null
// lists.
func TestResultsKeepTheirPromise(t *testing.T) {
	a := newApp(t)
	call := func(name, params string) json.RawMessage {
		t.Helper()
		result, err := a.Methods().Call(t.Context(), name, json.RawMessage(params))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		schema, err := a.Methods().Lookup(name).ResultSchema()
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(result, &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v\n%s", name, err, result)
		}
		return result
	}
	folder, err := json.Marshal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var session struct{ ID string }
	if err := json.Unmarshal(call("session.create", `{"cwd":`+string(folder)+`}`), &session); err != nil {
		t.Fatal(err)
	}
	ref := `{"sessionId":"` + session.ID + `"}`
	for _, c := range [][2]string{
		{"app.info", ""}, {"session.list", ""}, {"session.get", ref}, {"session.history", ref},
		{"permission.list", ""}, {"folder.list", ""}, {"cli.status", ""}, {"settings.get", ""},
		{"settings.set", `{"theme":"dark"}`}, {"method.list", ""}, {"session.close", ref},
		{"session.list", `{"limit":1,"offset":5}`}, {"audit.list", ""}, {"audit.verify", ""}, {"audit.export", `{"outcome":"deny"}`},
	} {
		call(c[0], c[1])
	}
}

func TestWrongParametersAreNamed(t *testing.T) {
	a := newApp(t)
	for _, tt := range []struct{ method, params, want string }{
		{"session.create", `{}`, `missing parameter "cwd"`},
		{"session.create", `{"cwd":"/","permissionMode":"yolo"}`, `"permissionMode" must be one of`},
		{"session.prompt", `{"sessionId":"x","txt":"y"}`, `unknown parameter "txt"; missing parameter "text"`},
		{"session.list", `{"limit":"many"}`, `"limit" must be a whole number`},
		{"permission.respond", `{"requestId":"x","behavior":"maybe"}`, `"behavior" must be one of "allow", "deny"`},
		{"subscribe", `{}`, `missing parameter "events"`},
	} {
		_, err := a.Methods().Call(t.Context(), tt.method, json.RawMessage(tt.params))
		message := fault.MessageOf(err)
		if fault.CodeOf(err) != fault.Invalid || !strings.HasPrefix(message, tt.method+": ") || !strings.Contains(message, tt.want) {
			t.Errorf("%s %s: %v", tt.method, tt.params, err)
		}
	}
}
