//go:build linux

package border

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/backend/demo"
)

// mostPrivate bounds the private memory of a session's relay: twenty of them
// use less than 80 MB.
const mostPrivate = 4 << 20

// relays are the processes that the CLI of a session started to reach Parley's tools.
func (s *conversation) relays() []int {
	s.p.t.Helper()
	cli, found := s.record().PID, []int(nil)
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		s.p.t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(cli) && strings.HasSuffix(string(args), "\x00mcp\x00") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				s.p.t.Fatal(err)
			}
			found = append(found, pid)
		}
	}
	return found
}

// private is the private memory of a process.
func private(t *testing.T, pid int) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	kind := "Private_"
	if os.IsPermission(err) { // nearly the same, and readable for everyone
		text, err = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		kind = "RssAnon:"
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, kind) {
			fields := strings.Fields(line)
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			bytes += kilobytes << 10
		}
	}
	return bytes
}

// The CLI reaches Parley's tools through a small program, which exists even if Parley's own
// file was removed or replaced, and if another program was written in its place.
func TestRelay(t *testing.T) {
	t.Parallel()
	// It runs a copy, as the user with that id, or as the current one.
	const copied = `root=$1 user=$2; shift 2
cp "$1" "$root/parley" && shift || exit
[ "$user" = own ] && exec "$root/parley" "$@"
chown -R "$user:$user" "$root" && exec setpriv --reuid "$user" --regid "$user" --clear-groups "$root/parley" "$@"`
	for _, user := range []string{"own", "65534"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("setpriv"); user != "own" && (err != nil || os.Getuid() != 0) {
				t.Skip("only root may run Parley as someone else, with setpriv")
			}
			p := startWith(t, demo.NewRules().
				When(demo.Contains("tool"), demo.Answer(bash("id -u >user.txt")), demo.Say("So it is.")).
				When(demo.Any, demo.Say("Here.")),
				setup{within: []string{"sh", "-c", `root=$(dirname "$TMPDIR"); set -- "$root" ` + user + ` "$@"; ` + copied, "sh"}})
			built, err := os.ReadFile(relay)
			if err != nil {
				t.Fatal(err)
			}
			own := p.path("data/relay/parley-mcp")
			session := func(title string) *conversation {
				s := p.openWith(m{"engine": "cli", "title": title})
				turn := s.prompt("tool")
				s.allow(s.question())
				s.done(turn, "completed")
				relays := s.relays()
				if len(relays) != 1 {
					t.Fatalf("%s: relays %v", title, relays)
				}
				got, err := os.ReadFile("/proc/" + strconv.Itoa(relays[0]) + "/exe")
				if os.IsPermission(err) { // only root may; the other one would be a shell
					comm, _ := os.ReadFile("/proc/" + strconv.Itoa(relays[0]) + "/comm")
					t.Logf("%s: the relay is %q", title, comm)
					if !bytes.HasPrefix(comm, []byte("sh")) && !bytes.HasPrefix(comm, []byte("sleep")) {
						got, err = built, nil
					}
				}
				if err != nil || !bytes.Equal(got, built) {
					t.Errorf("%s: the relay is another program (%d bytes, %v)", title, len(got), err)
				}
				if held := private(t, relays[0]); held > mostPrivate {
					t.Errorf("%s: the relay holds %d KB", title, held>>10)
				} else {
					t.Logf("%s: the relay holds %d KB for itself", title, held>>10)
				}
				return s
			}
			session("at first")
			if err := os.Remove(p.path("parley")); err != nil {
				t.Fatal(err)
			}
			session("without the program's file")
			// Another program in its place, if commands may do that at all.
			if err := os.Rename(own, own+".old"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(own, []byte("#!/bin/sh\nexec sleep 300\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			session("with another relay")
			// And one beside the program, as after an update.
			if err := os.WriteFile(p.path("parley-mcp"), []byte("#!/bin/sh\nexec sleep 300\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			session("with another one beside the program")
		})
	}
}
