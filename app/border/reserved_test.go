//go:build linux

package border

import (
	"os"
	"path/filepath"
	"testing"

	"parley/app/permissions"
	"parley/backend/demo"
)

// Forbidden paths are also inaccessible to the model where the CLI does not ask: in the
// session's folder, with edits accepted. Parley's own files are forbidden.
func TestReserved(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			data := make(chan string, 1)
			p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
				switch {
				case r.Kind != demo.Main:
					return demo.Default(r)
				case len(r.Results) > 0:
					return demo.Say("I see.")
				}
				dir := <-data
				return demo.Answer(
					write(filepath.Join(dir, "theme.css"), "* { display: none }"), read(filepath.Join(dir, "models.json")), write(filepath.Join(dir, "..", "free"), "x"),
					read(filepath.Join(dir, "..", "hidden")), bash("cat hidden"), bash("head -1 <hidden; ls"))
			}))
			if err := os.WriteFile(p.path("data", "models.json"), []byte("a secret of Parley's"), 0o600); err != nil {
				t.Fatal(err)
			}
			data <- p.path("data")
			s := p.openWith(m{"engine": engine, "cwd": p.path(), "permissionMode": "acceptEdits"})
			p.watcher.subscribe("*")
			s.write("hidden", "a secret of the person's")
			call[permissions.Rule](s.c, "rule.add", m{"effect": "deny", "text": "Read(hidden)", "scope": "global"})
			s.done(s.prompt("go"), "completed")
			if s.exists("data/theme.css") {
				t.Error("the model wrote among Parley's own files")
			}
			if !s.exists("free") {
				t.Error("the model did not write beside them")
			}
			for _, message := range s.history() {
				for _, b := range message.Blocks {
					if b.Tool != nil && b.Tool.Name != "Write" && b.Tool.State == "done" {
						t.Errorf("the model read what it must not: %s", b.Tool.Input)
					}
				}
			}
			if list := call[permissions.RuleList](s.c, "rule.list", m{"sessionId": s.id}); len(list.CLI.Rules) != 0 || list.CLI.Source != "process" {
				t.Errorf("the CLI's own rules: %+v", list.CLI)
			}
		})
	}
}
