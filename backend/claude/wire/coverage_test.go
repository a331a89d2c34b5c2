package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The list of messages is that of the pinned CLI: a newer one fails here until its
// changes are reviewed. Each message is decoded, or has a reason why not.
func TestEveryMessageOfTheCLI(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "messages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := os.ReadFile(filepath.Join("..", "..", "..", "frontend", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(raw), "Claude Code ")
	version, _, _ = strings.Cut(version, " ")
	if !strings.Contains(string(pinned), fmt.Sprintf(`"@anthropic-ai/claude-code": %q`, version)) {
		t.Errorf("the list is of %s, which is not the version that is pinned", version)
	}
	seen := 0
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		seen++
		name, why, left := strings.Cut(line, " - ")
		typ, subtype, _ := strings.Cut(name, "/")
		f, err := Decode(fmt.Appendf(nil, `{"type":%q,"subtype":%q,"event":{"type":"ping"}}`, typ, subtype))
		if err != nil {
			t.Fatal(name, err)
		}
		u, unknown := f.(*Unknown)
		unknown = unknown && u.Reason == ""
		if unknown != left || left && why == "" {
			t.Errorf("%s: unknown %v, left out %v because %q", name, unknown, left, why)
		}
	}
	if seen < 30 {
		t.Errorf("%d messages", seen)
	}
}
