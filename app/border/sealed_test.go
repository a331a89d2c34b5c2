//go:build linux

package border

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/app/permissions"
	"parley/backend/demo"
)

// pry tries to read a process's memory, and Parley's data through it.
const pry = `up() { cut -d' ' -f4 /proc/$1/stat; }
cli=$(up $PPID); host=$(up $cli); parley=$(up $host)
echo "$cli $host $parley" > who
for pid in $parley $host $(awk -v c=$cli '$4 == c && $2 ~ /^.parley(-mcp)?.$/ {print $1}' /proc/[0-9]*/stat 2>/dev/null); do
  for file in environ mem maps smaps auxv pagemap io fd/0 fd/1 fd/2 map_files cwd/. root/. task/$pid/environ task/$pid/mem; do
    if ( exec 3< /proc/$pid/$file ) 2>/dev/null; then echo "$pid opened $file" >> got; else echo "$pid $file" >> denied; fi
  done
  ls /proc/$pid/fd/ >/dev/null 2>&1 && echo "$pid listed fd" >> got
done
for word in 3 0; do
  ( printf '{}\n' > /proc/$cli/fd/$word ) 2>/dev/null && echo "the CLI's $word" >> got
done
cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -a "hush-hush" >> got
env | grep "hush-hush" >> got
true
`

// A command that was allowed once can read neither Parley's memory nor its
// environment, and so cannot answer the next request.
func TestSealed(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root may become another user, and root sees everything")
	}
	if err := os.Chmod(filepath.Dir(program), 0o755); err != nil { //nolint:gosec // another user runs it
		t.Fatal(err)
	}
	for i, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			// Each runs as another user: until it has sealed itself, a starting Parley can be read by its own user.
			who := strconv.Itoa(65534 - i)
			p := startWith(t, demo.NewQueue(demo.Answer(bash("sh pry.sh")), demo.Answer(bash("touch made")), demo.Say("I tried.")), setup{
				within: []string{"sh", "-c", `chown -R ` + who + `:` + who + ` . && exec setpriv --reuid=` + who + ` --regid=` + who + ` --clear-groups "$@"`, "sh"},
				env: []string{
					"PARLEY_MATTERMOST_TOKEN=hush-hush-1", "PARLEY_SECRET_WORK_ANTHROPIC_API_KEY=hush-hush-2",
					"PARLEY_NATS_PASSWORD=hush-hush-3", "PARLEY_NATS_TOKEN=hush-hush-4", "PARLEY_TOKEN=hush-hush-5",
				},
			})
			p.secrets = append(p.secrets, "hush-hush")
			s := p.openWith(m{"engine": engine})
			s.write("pry.sh", pry)
			if err := os.Chmod(filepath.Join(s.dir, "pry.sh"), 0o644); err != nil { //nolint:gosec // another user reads it
				t.Fatal(err)
			}
			turn := s.prompt("pry")
			s.allow(s.question())
			q := s.question()
			if got, err := os.ReadFile(filepath.Join(s.dir, "got")); err != nil || len(got) > 0 {
				t.Errorf("a command got (%v):\n%s", err, got)
			}
			denied, err := os.ReadFile(filepath.Join(s.dir, "denied"))
			if want := map[string]int{"cli": 45, "sdk": 30}[engine]; err != nil || strings.Count(string(denied), "\n") != want {
				t.Errorf("denied (%v), want %d:\n%s", err, want, denied)
			}
			// Its question is still open.
			if list := call[permissions.PermissionList](s.c, "permission.list", m{"sessionId": s.id}); len(list.Requests) != 1 || list.Requests[0].RequestID != q.RequestID {
				t.Errorf("open questions: %+v", list)
			}
			s.answer(q, m{"behavior": "deny"})
			s.done(turn, "completed")
			if s.exists("made") {
				t.Error("the command ran")
			}
		})
	}
}
