package rule

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/permission/rule/shell"
)

// endless is a computer with infinitely nested folders.
func endless(looked *int) Engine {
	return Engine{Home: "/home/u", Readlink: func(string) (string, error) { return "", nil }, Folder: func(string) (links, folders []string, all bool) {
		*looked++
		return nil, []string{"a", "b"}, true
	}}
}

func bash(t *testing.T, command string) Call {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	return Call{Tool: "Bash", Input: input, CWD: "/home/u/proj"}
}

// The search for links ends, however many folders there are and however often a command
// names them, and unsearched folders don't count as harmless.
func TestLookingForLinksEnds(t *testing.T) {
	rules := []Rule{{Effect: Deny, Tool: "Read", Pattern: "~/.ssh/**", Scope: Global}, {Effect: Allow, Tool: "Bash", Pattern: "grep:*", Scope: Global}, {Effect: Allow, Tool: "Bash", Pattern: "mv:*", Scope: Global}}
	for _, command := range []string{"grep -R x .", "grep -R x" + strings.Repeat(" .", 400), "mv a b" + strings.Repeat("; mv a b; grep -R x .", 100)} {
		looked := 0
		if v := endless(&looked).Decide(rules, bash(t, command), time.Time{}); v.Effect != Ask {
			t.Errorf("%.40s: %s: %s", command, v.Effect, v.Why)
		}
		if looked == 0 || looked > maxLooked {
			t.Errorf("%.40s: looked into %d folders", command, looked)
		}
	}
}

// A tree is searched completely: links behind links count, and cycles do no harm.
func TestLinksBelow(t *testing.T) {
	links := map[string]string{"/p/one": "/q", "/q/two": "/r", "/r/back": "/p", "/r/out": "/s/key", "/p/d/self": "."}
	e := Engine{Readlink: func(name string) (string, error) { return links[name], nil }, Folder: func(dir string) (names, folders []string, all bool) {
		for name := range links {
			if strings.HasPrefix(name, dir+"/") && !strings.Contains(name[len(dir)+1:], "/") {
				names = append(names, name[len(dir)+1:])
			}
		}
		if dir == "/p" {
			folders = []string{"d"}
		}
		return names, folders, true
	}}
	var got []string
	for _, f := range e.resolver().linksBelow(e.resolver().locate("/", "/p")) {
		if f.unsure {
			t.Errorf("%s is unsure", f.lexical)
		}
		got = append(got, fmt.Sprintf("%s -> %s", f.lexical, f.real))
	}
	for _, want := range []string{"/p/one -> /q", "/q/two -> /r", "/r/back -> /p", "/r/out -> /s/key", "/p/d/self -> /p/d"} {
		if n := strings.Count(strings.Join(got, "\n")+"\n", want+"\n"); n != 1 {
			t.Errorf("%s: %d times in %q", want, n, got)
		}
	}
	if len(got) != len(links) {
		t.Errorf("%q", got)
	}
}

// A pattern is expanded in a limited number of folders. One that needs more may lead
// anywhere.
func TestPatternsAreLookedUpInSoManyFolders(t *testing.T) {
	for folders, unsure := range map[int]bool{maxGlobbed - 1: false, maxGlobbed: true} {
		e := Engine{Folder: func(dir string) (links, names []string, all bool) {
			if dir == "/p" {
				for i := range folders {
					names = append(names, fmt.Sprint("d", i))
				}
			}
			return []string{"l"}, names, true
		}, Readlink: func(string) (string, error) { return "", nil }}
		v := e.resolver()
		at := v.locate("/p", string(shell.Unknown)+"/"+string(shell.Unknown))
		got := v.linksOf(at)
		if last := got[len(got)-1]; last.unsure != unsure || !unsure && len(got) != 1+folders {
			t.Errorf("%d folders: %d links, the last %+v", folders, len(got), last)
		}
	}
}
