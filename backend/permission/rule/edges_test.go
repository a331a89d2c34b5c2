package rule

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"
)

// A pattern with one leading slash is relative to the rule's base folder, wherever
// the session works.
func TestBaseOfARule(t *testing.T) {
	for _, tt := range []struct {
		base, cwd, file string
		want            Effect
	}{
		{"/home/u/proj", "/home/u/proj/sub", "/home/u/proj/src/a", Allow},
		{"/home/u/proj", "/home/u/proj/sub", "../src/a", Allow},
		{"/home/u/proj", "/home/u/proj/sub", "/home/u/proj/sub/src/a", Ask},
		{"/home/u/proj", "/home/u/proj/sub", "src/a", Ask},
		{"/home/u/proj", "/home/u/other", "/home/u/other/src/a", Ask},
		{"", "/home/u/proj/sub", "src/a", Allow},
		{"", "/home/u/proj/sub", "../src/a", Ask},
	} {
		input, err := json.Marshal(map[string]string{"file_path": tt.file})
		if err != nil {
			t.Fatal(err)
		}
		call := Call{Tool: "Edit", Input: input, CWD: tt.cwd}
		r := Rule{Effect: Allow, Tool: "Edit", Pattern: "/src/**", Base: tt.base, Scope: Global}
		if v := machine().Decide([]Rule{r}, call, time.Time{}); v.Effect != tt.want {
			t.Errorf("%+v: %s", tt, v.Effect)
		}
		r.Effect = Deny
		bare := Rule{Effect: Allow, Tool: "Edit", Scope: Global}
		want := map[Effect]Effect{Allow: Deny, Ask: Allow}[tt.want]
		if v := machine().Decide([]Rule{bare, r}, call, time.Time{}); v.Effect != want {
			t.Errorf("%+v forbidden: %s", tt, v.Effect)
		}
	}
}

// A link that can't be read allows nothing, has no location, and is marked unsure.
func TestLinksThatCannotBeRead(t *testing.T) {
	e := Engine{Home: "/home/u", Readlink: func(name string) (string, error) {
		if name == "/home/u/proj/shut" {
			return "", errors.New("shut")
		}
		return "", nil
	}}
	for name, unsure := range map[string]bool{"shut": true, "shut/x": true, "shut/../x": true, "open/x": false, "/proc/self/cwd/x": true, "/proc/12/cwd/x": true, "/proc/thread-self/x": true, "/proc/cpuinfo": false} {
		if f := e.Locate("/home/u/proj", name); f.Unsure != unsure {
			t.Errorf("%s: %+v", name, f)
		}
		if unsure && e.Inside("/home/u/proj", e.Locate("/home/u/proj", name)) {
			t.Errorf("%s is said to be inside", name)
		}
		input, _ := json.Marshal(map[string]string{"file_path": name})
		call := Call{Tool: "Edit", Input: input, CWD: "/home/u/proj"}
		rules := parsed(t, "Edit; Edit(//home/u/proj/**); Edit(//proc/**)", Allow)
		if v := e.Decide(rules, call, time.Time{}); (v.Effect == Allow) == unsure || v.Unclear != unsure {
			t.Errorf("%s: %+v", name, v)
		}
		if unsure && len(e.Suggest(call)) > 0 {
			t.Errorf("%s: rules are offered", name)
		}
	}
}

// An invalid host matches no rule, and isn't silently converted to another.
func TestInvalidHosts(t *testing.T) {
	rules := parsed(t, "WebFetch(domain:*); WebFetch", Allow)
	for _, address := range []string{"http://[::zz]/", "http://[1:2]/", "http://xn--zzzzzzzz\u00e4.com/", "http://a\u2024b.com/", "http://-\u00e4.com/", "http:///x", "https://%zz/"} {
		input, _ := json.Marshal(map[string]string{"url": address})
		if v := machine().Decide(rules, Call{Tool: "WebFetch", Input: input}, time.Time{}); v.Effect == Allow {
			host, sure := hostOf(address)
			t.Errorf("%s is allowed: %q %v", address, host, sure)
		}
	}
	for _, text := range []string{"b\u00fc*.de", "*\u00e4.org", "[::zz]", "xn--\u00e4.de", "a..\u00e4.b", ""} {
		if got, err := hostPattern(text); err == nil && text != "" {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	for text, want := range map[string]string{"[::1]": "::1", "*.B\u00dcCHER.de": "*.xn--bcher-kva.de", "A*.org": "a*.org"} {
		if got, err := hostPattern(text); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
}

// Among several parts that ask, one with a rule is reported, in any order; and the
// reported part is the one that counts.
func TestStrictestPartIsTold(t *testing.T) {
	rules := append(parsed(t, "Bash(ls:*)", Allow), append(parsed(t, "Bash(git push:*)", Ask), parsed(t, "Bash(rm:*)", Deny)...)...)
	for command, want := range map[string]string{
		"make && git push":           "The rule Bash(git push:*) requires approval.",
		"git push && make":           "The rule Bash(git push:*) requires approval.",
		"ls && make && git push":     "The rule Bash(git push:*) requires approval.",
		"git push && rm x && make":   "The rule Bash(rm:*) forbids it.",
		"make; rm x; git push":       "The rule Bash(rm:*) forbids it.",
		"x=$(make); ls; git push \"": "Parley could not read the whole command: it is not valid shell syntax.",
	} {
		v := machine().Decide(rules, callOf(t, command), time.Time{})
		if v.Why != want || !v.Unclear && !v.Ruled() {
			t.Errorf("%s: %+v", command, v)
		}
	}
}

// Programs that run others, and unusual ways to start shells.
func TestProgramsThatRunOthers(t *testing.T) {
	allow := parsed(t, "Bash; Bash(bash -- run.sh)", Allow)
	deny := parsed(t, "Bash(rm:*)", Deny)
	for command, want := range map[string]Effect{
		"systemd-run -t rm x":          Deny,
		"systemd-run -tqd rm x":        Deny,
		"systemd-run --scope rm x":     Ask,
		"systemd-run -p A=b rm x":      Ask,
		"systemd-run -t ls":            Allow,
		"unshare -m rm x":              Deny,
		"chroot /x rm y":               Deny,
		"chroot /x ls":                 Allow,
		"xargs -0 rm":                  Deny,
		"xargs -P 4 -n 1 rm":           Deny,
		"xargs --max-args 1 rm":        Deny,
		"bash -- run.sh":               Allow,
		"bash -e -- run.sh":            Allow,
		"bash $X -c 'rm x'":            Ask,
		"bash -c $X":                   Ask,
		"bash -c -- 'rm x'":            Deny,
		"bash *.sh":                    Ask,
		"bash -o pipefail -c 'rm x'":   Deny,
		"bash -co pipefail 'rm x'":     Deny,
		"bash +x -c 'rm x'":            Deny,
		"bash -s x":                    Ask,
		"bash -c":                      Ask,
		"bash --init-file x -c 'ls'":   Ask,
		"bash --posix --norc -c 'rm'":  Deny,
		"sh -ec 'rm x'":                Deny,
		"env -- rm x":                  Deny,
		"env A=b -- rm x":              Deny,
		"nice --adjustment 5 rm x":     Deny,
		"timeout --signal=KILL 5 rm x": Deny,
	} {
		if v := machine().Decide(append(slices.Clone(allow), deny...), callOf(t, command), time.Time{}); v.Effect != want {
			t.Errorf("%s: %s, want %s: %s", command, v.Effect, want, v.Why)
		}
	}
}

// Parley's own files are denied by name and by form, for tools and commands; similar
// names aren't.
func TestReserved(t *testing.T) {
	e := machine()
	rules := append(Reserved("/data/parley.db", "relative", "/data/odd[1]*"), ReservedIn("/data", "*.json", ".*")...)
	rules = append(rules, ReservedIn("relative", "*.yaml")...)
	rules = append(rules, Rule{Effect: Allow, Tool: "Read", Scope: Global}, Rule{Effect: Allow, Tool: "Write", Scope: Global}, Rule{Effect: Allow, Tool: "Bash", Scope: Global})
	for name, denied := range map[string]bool{
		"/data/parley.db": true, "/data/../data/parley.db": true, "/data/parley.db/x": true, "/data/parley.db2": false, "/data/x.json": true, "/data/.lock": true,
		"/data/sub/x.json": false, "/data/json": false, "/data/odd[1]*": true, "/data/odd1": false, "/data/odd1x": false, "/relative": false, "/relative/x.yaml": false,
	} {
		for _, call := range []Call{
			{Tool: "Read", CWD: "/home/u/proj", Input: json.RawMessage(`{"file_path":"` + name + `"}`)}, {Tool: "Write", CWD: "/home/u/proj", Input: json.RawMessage(`{"file_path":"` + name + `"}`)},
			bash(t, "cat '"+name+"'"), bash(t, "touch '"+name+"'"),
		} {
			if call.Tool == "Bash" && !denied {
				continue // one that mentions the folder may cover anything in it
			}
			if v := e.Decide(rules, call, time.Time{}); (v.Effect == Deny) != denied {
				t.Errorf("%s %s: %s, denied should be %v: %s", call.Tool, call.Input, v.Effect, denied, v.Why)
			}
		}
	}
}
