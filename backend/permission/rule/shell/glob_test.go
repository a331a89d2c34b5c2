package shell

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/backend/need"
)

// Whatever file a pattern matches in a real bash, its shape can match, name by name:
// brackets or quotes can't hide a denied name.
func TestShapesAreThoseOfBash(t *testing.T) {
	bash := need.Program(t, "bash", "bash")
	dir := t.TempDir()
	for _, d := range []string{".", "a", "b", "[a", "a]", "x/a"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{"f", "fa", "f]", "[f", "-", "!", "[f]", "a]b", "]"} {
			if err := os.WriteFile(filepath.Join(dir, d, f), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	pieces := []string{"[", "[", "]", "]", "a", "b", "f", "/", "*", "?", `"`, `\`, "!", "-", "x", "[:alpha:]", "'", "^"}
	random := rand.New(rand.NewPCG(1, 2))
	var script strings.Builder
	var words []Word
	hard := []string{`[]fx']f']`, `[[:alpha:]"!?"]a`, `[]*"]"f]`, `**[]"b"]`, `[a"x"]/f`, `[x]/f[a]`}
	for len(words) < 3000 {
		var pattern strings.Builder
		if len(words) < len(hard) {
			pattern.WriteString(hard[len(words)])
		}
		for range 2 + random.IntN(9) {
			if len(words) >= len(hard) {
				pattern.WriteString(pieces[random.IntN(len(pieces))])
			}
		}
		read := Read("printf '%s\\0' "+pattern.String(), Env{Dir: dir})
		if len(read.Doubts) > 0 || len(read.Commands) != 1 || len(read.Commands[0].Args()) != 3 || strings.HasPrefix(pattern.String(), "/") || strings.HasSuffix(pattern.String(), `\`) {
			continue
		}
		words = append(words, read.Commands[0].Args()[2])
		fmt.Fprintf(&script, "printf '%%s\\0' %s; printf '\\1\\0'\n", pattern.String())
	}
	cmd := exec.Command(bash, "-c", script.String())
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, names := range strings.SplitN(string(out), "\x01\x00", len(words)+1)[:len(words)] {
		for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil || name == "" {
				continue
			}
			found++
			shape := "^" + strings.ReplaceAll(regexp.QuoteMeta(tidy(words[i].Shape)), string(Unknown), "[^/]*") + "$"
			if ok, err := regexp.MatchString(shape, tidy(name)); err != nil || !ok {
				t.Errorf("%s stands for %q, and is read as %q", words[i].Text, name, words[i].Shape)
			}
		}
	}
	if found < 300 {
		t.Errorf("the patterns stand for %d files only", found)
	}
}

// tidy is a name without the slashes that mean nothing.
func tidy(name string) string { return strings.TrimPrefix(filepath.Clean("/"+name), "/") }
