package history_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/usage"
)

// told collects accounts.
type told struct {
	mu   sync.Mutex
	list []history.Account
}

func (b *told) Told(a history.Account) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, a)
	return nil
}

// telling is one function that accounts are told to.
type telling func(history.Account) error

func (f telling) Told(a history.Account) error { return f(a) }

// sum returns the reported usage, each answer once, and the highest total.
func (b *told) sum() (tokens event.Usage, answers int, usd float64) {
	last := map[uint64]event.Usage{}
	for _, a := range b.list {
		for _, answer := range a.Answers {
			if usage.Sum(answer.Tokens) >= usage.Sum(last[answer.Key]) {
				last[answer.Key] = answer.Tokens
			}
		}
		total := 0.0
		for _, t := range a.Saved {
			total += t.USD
		}
		usd = max(usd, total)
	}
	for _, u := range last {
		tokens = usage.Add(tokens, u)
	}
	return tokens, len(last), usd
}

// The usage reported for captured conversations equals the CLI's own totals.
func TestAccountsOfCapturedConversations(t *testing.T) {
	tests := []struct {
		name    string
		tokens  event.Usage
		answers int
		usd     float64
	}{
		{"thinking_empty", event.Usage{InputTokens: 4, CacheReadTokens: 10992, CacheCreationTokens: 2469, OutputTokens: 2}, 1, 0.0145994},
		{"subagent", event.Usage{InputTokens: 16, CacheReadTokens: 39066, CacheCreationTokens: 5124, OutputTokens: 54}, 4, 0.0345772},
		// The cost of both is the fork's total, because it started with the other
		// one's.
		{"forked", event.Usage{InputTokens: 16, CacheReadTokens: 51600, CacheCreationTokens: 2470, OutputTokens: 18}, 4, 0.023094},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b told
			c := history.NewCatalog(history.Config{Root: filepath.Join("testdata/pairs", tt.name, "projects"), Accounts: &b})
			if err := c.Scan(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.Index(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			tokens, answers, usd := b.sum()
			if diff := cmp.Diff(tt.tokens, tokens); diff != "" || answers != tt.answers {
				t.Errorf("%d answers, tokens (-want +got):\n%s", answers, diff)
			}
			if math.Abs(usd-tt.usd) > 1e-6 {
				t.Errorf("cost = %v, want %v", usd, tt.usd)
			}
			for _, a := range b.list {
				if a.CWD != "/home/user/project" || a.Saved != nil && a.SavedAt == 0 {
					t.Errorf("account %+v", a)
				}
			}
		})
	}
}

// A file that grows is read from where it was read last, and so are its subagents'.
func TestAccountsContinueWhereTheyEnded(t *testing.T) {
	from := "testdata/pairs/subagent/projects/-home-user-project"
	var files []string
	for _, pattern := range []string{"*.jsonl", "*/subagents/*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		files = append(files, found[0])
	}
	dir := t.TempDir()
	var main, agent string
	lines := make([][]string, 2)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		lines[i] = slices.Collect(strings.Lines(string(data)))
		if i == 0 {
			main = to
		} else {
			agent = to
		}
	}
	var totals history.Totals
	var b told
	read := int64(0)
	for n := range max(len(lines[0]), len(lines[1])) {
		for i, to := range []string{main, agent} {
			if n >= len(lines[i]) {
				continue
			}
			f, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(lines[i][n]); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if totals, err = history.Open(main).Count(t.Context(), totals, func(n int64) { read += n }, b.Told); err != nil {
			t.Fatal(err)
		}
	}
	entries := 0
	for _, a := range b.list {
		entries += len(a.Answers)
	}
	tokens, answers, _ := b.sum()
	want := event.Usage{InputTokens: 16, CacheReadTokens: 39066, CacheCreationTokens: 5124, OutputTokens: 54}
	if diff := cmp.Diff(want, tokens); diff != "" || answers != 4 {
		t.Errorf("%d answers, tokens (-want +got):\n%s", answers, diff)
	}
	if entries != 5 { // one answer has two lines
		t.Errorf("%d lines of answers were told; some were read again", entries)
	}
}

// An account that couldn't be processed is reported again.
func TestAccountsThatFailComeAgain(t *testing.T) {
	full := true
	var b told
	c := history.NewCatalog(history.Config{Root: "testdata/pairs/chat/projects", Accounts: telling(func(a history.Account) error {
		if full {
			return os.ErrPermission
		}
		return b.Told(a)
	})})
	index := func() {
		t.Helper()
		if err := c.Index(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	index()
	full = false
	index()
	if _, answers, _ := b.sum(); answers == 0 {
		t.Error("what failed did not come again")
	}
	before := len(b.list)
	index()
	if len(b.list) != before {
		t.Error("what was taken came again")
	}
}
