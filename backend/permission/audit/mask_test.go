package audit

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMask(t *testing.T) {
	const key = "sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9v"
	tests := []struct {
		name, in string
		// gone must not be left, kept must.
		gone, kept string
	}{
		{"key of the API", "echo " + key, "Zm9v", "echo •••"},
		{"assignment", "TOKEN=hunter22 make", "hunter22", "TOKEN=••• make"},
		{"exported", "export DB_PASSWORD='two words' && ls", "two words", "&& ls"},
		{"quoted", `MY_SECRET="a \" b c" run`, "b c", "run"},
		{"flag", "mysqldump --password hunter22 db", "hunter22", "db"},
		{"flag with =", "tool --api-key=hunter22 --verbose", "hunter22", "--verbose"},
		{"short flag of mysql", "mysql -u root -phunter22 db", "hunter22", "db"},
		{"sshpass", "sshpass -p hunter22 ssh host", "hunter22", "ssh host"},
		{"header", `curl -H "Authorization: Bearer abc.def" https://x.dev/a`, "abc.def", "https://x.dev/a"},
		{"other header", `curl -H 'x-api-key: hunter22' https://x.dev`, "hunter22", "https://x.dev"},
		{"user of curl", "curl -u me:hunter22 https://x.dev", "hunter22", "https://x.dev"},
		{"address", "git clone https://me:hunter22@x.dev/a.git", "hunter22", "x.dev/a.git"},
		{"address with a token", "git clone https://hunter22@x.dev/a.git", "hunter22", "x.dev/a.git"},
		{"query of an address", "curl https://x.dev/?a=1&access_token=hunter22&b=2", "hunter22", "&b=2"},
		{"JSON", `{"apiKey":"hunter22","name":"a"}`, "hunter22", `"name":"a"`},
		{"JSON in JSON", `{"body":"{\"password\":\"hunter22\"}"}`, "hunter22", "body"},
		{"GitHub", "echo ghp_0123456789abcdefABCDEF0123", "0123456789", "echo"},
		{"GitLab", "echo glpat-0123456789abcdef", "0123456789", "echo"},
		{"Slack", "echo xoxb-123456789-abcdef", "123456789", "echo"},
		{"AWS", "echo AKIAIOSFODNN7EXAMPLE", "IOSFODNN", "echo"},
		{"Google", "echo AIzaSyA0123456789abcdefghij", "SyA0123", "echo"},
		{"web token", "echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "c2lnbmF0", "echo"},
		{"private key", "cat <<X\n-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\ndef\n-----END RSA PRIVATE KEY-----\nX", "MIIE", "cat"},
		{"half a private key", "-----BEGIN PRIVATE KEY-----\nMIIEabc", "MIIE", "•••"},
		{"long hash", "echo 0123456789abcdef0123456789abcdef", "89abcdef", "echo"},
		{"long key", "echo aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3", "aB3aB3", "echo"},

		{"words", `git commit -m "Fix the token parser and its secrets"`, "•••", "Fix the token parser and its secrets"},
		{"path", "/home/me/a-long-folder/another-long-folder-2/File_with_a_name.go", "•••", "File_with_a_name.go"},
		{"address without", "curl https://x.dev/a/b?c=d", "•••", "c=d"},
		{"identifier", "3f2b8c1e-5d4a-4b6f-9a7e-0c1d2e3f4a5b", "•••", "3f2b8c1e"},
		{"commit", "git show 3f2b8c1e5d", "•••", "3f2b8c1e5d"},
	}
	for _, tt := range tests {
		got := Mask(tt.in)
		if strings.Contains(got, tt.gone) || !strings.Contains(got, tt.kept) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

func TestSummary(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"command", `{"description":"List","command":"ls -l\n\tcd ."}`, "ls -l cd ."},
		{"file, without what is written", `{"file_path":"/a/b.txt","content":"hunter22"}`, "/a/b.txt"},
		{"address", `{"url":"https://x.dev/","prompt":"read it"}`, "https://x.dev/"},
		{"plan", `{"plan":"First this.\nThen that."}`, "First this. Then that."},
		{"questions", `{"questions":[{"question":"Which colour?"},{"question":"Which side?"}]}`, "Which colour? Which side?"},
		{"another tool", `{"b":[1],"a":{"password":"hunter22"},"content":"no"}`, `{"a":{"password":•••},"b":[1]}`},
		{"empty", `{}`, `{}`},
		{"none", `[]`, ""},
		{"blank", `{"command":" "}`, `{"command":" "}`},
	}
	for _, tt := range tests {
		if got := Summary(json.RawMessage(tt.in)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for name, in := range map[string]string{
		"words":               strings.Repeat("word ", 10_000),
		"one word":            strings.Repeat("é", 10_000),
		"a secret at the cut": strings.Repeat(" ", maxRead-20) + "TOKEN=hunter22hunter22hunter22",
		"white space":         strings.Repeat("\n", 100_000) + "x",
	} {
		raw, err := json.Marshal(map[string]string{"command": in})
		check(t, err)
		got := Summary(raw)
		if utf8.RuneCountInString(got) > maxName || strings.Contains(got, "hunter") || got == "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestHashInput(t *testing.T) {
	a, b := HashInput(json.RawMessage(`{"a": "<b>",  "c":1}`)), HashInput(json.RawMessage(`{"a":"<b>","c":1}`))
	if a != b || len(a) != hashLen || a == HashInput(json.RawMessage(`{"a":"<b>","c":2}`)) {
		t.Errorf("%s %s", a, b)
	}
}

// Any record fits its line and reads back as it was written.
func FuzzRecord(f *testing.F) {
	f.Add("Bash", "ls", "no", "a\x00\u2028\xff\"\\")
	f.Add(strings.Repeat("\\", 1000), strings.Repeat("\u2028x", 3000), strings.Repeat("<", 5000), strings.Repeat("\U0001F600", 1000))
	f.Fuzz(func(t *testing.T, tool, summary, message, rule string) {
		r := Record{Type: Ended, Tool: tool, Summary: summary, Message: message, SessionID: rule, Remembered: []string{rule, tool, summary, message, rule, tool, summary, message, "more"}}.bounded()
		line, hash, err := r.encode(7, genesis())
		check(t, err)
		if n := strings.Count(string(line), "\n"); n != 1 || !utf8.Valid(line) {
			t.Fatalf("%d lines: %q", n, line)
		}
		got, err := decode(line[:len(line)-1])
		check(t, err)
		if got.Hash != hash || got.Tool != r.Tool || got.Message != r.Message || len(got.Remembered) > maxRemembered {
			t.Fatalf("%+v", got)
		}
		for _, s := range append([]string{got.Tool, got.Summary}, got.Remembered...) {
			if utf8.RuneCountInString(s) > maxMessage {
				t.Fatalf("%d characters", utf8.RuneCountInString(s))
			}
		}
	})
}
