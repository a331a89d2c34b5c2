//go:build linux

package border

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/settings"
	"parley/app/usage"
	"parley/backend/demo"
	"parley/backend/event"
)

// used is the result of usage.query, once the files contain that many answers and the ledger
// equals a naive count of them.
func (p *parley) used(answers int64, params m) usage.UsageReport {
	p.t.Helper()
	for deadline := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		whole := call[usage.UsageReport](p.watcher, "usage.query", m{"groupBy": []string{}}).Total
		want, n := p.naive()
		if n == answers && whole.Answers == n && whole.Tokens == want {
			return call[usage.UsageReport](p.watcher, "usage.query", params)
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the ledger has %d answers, %+v; the files %d, %+v; want %d", whole.Answers, whole.Tokens, n, want, answers)
		}
	}
}

// naive reads all of the CLI's files and counts each answer with its last usage.
func (p *parley) naive() (sum event.Usage, answers int64) {
	p.t.Helper()
	last := map[string]event.Usage{}
	err := filepath.WalkDir(p.path("home/.claude/projects"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		data, err := os.ReadFile(path)
		for line := range strings.Lines(string(data)) {
			var l struct {
				RequestID string
				Message   struct {
					ID, Model string
					Usage     struct {
						Input    int64 `json:"input_tokens"`
						Read     int64 `json:"cache_read_input_tokens"`
						Creation int64 `json:"cache_creation_input_tokens"`
						Output   int64 `json:"output_tokens"`
					}
				}
			}
			if json.Unmarshal([]byte(line), &l) == nil && l.RequestID != "" && !strings.HasPrefix(l.Message.Model, "<") {
				u := l.Message.Usage
				last[l.Message.ID+" "+l.RequestID] = event.Usage{InputTokens: u.Input, CacheReadTokens: u.Read, CacheCreationTokens: u.Creation, OutputTokens: u.Output}
			}
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, u := range last {
		sum.InputTokens += u.InputTokens
		sum.CacheReadTokens += u.CacheReadTokens
		sum.CacheCreationTokens += u.CacheCreationTokens
		sum.OutputTokens += u.OutputTokens
	}
	return sum, int64(len(last))
}

// near compares dollars.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// Every answer is counted once, including subagents, and the cost is what the CLI
// reports: turn by turn, after a restart, and in a fork.
func TestUsage(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("delegate"),
				demo.Use("Agent", m{"description": "look", "prompt": "look around", "subagent_type": "general-purpose", "run_in_background": false}),
				demo.Say("Delegated.")).
			WhenAgent(demo.Any, demo.Say("All quiet.")).
			When(demo.Any, demo.Think("Well. ", "As you said.")))
		s := p.openWith(m{"engine": engine})
		s.turn("hello")
		s.turn("delegate")

		results := of[*event.Result](s.c, s.id)
		reported := 0.0
		for _, r := range results {
			reported += r.CostUSD
		}
		if total := results[len(results)-1].TotalCostUSD; len(results) != 2 || reported <= 0 || !near(reported, total) {
			t.Fatalf("%d results of %v dollars, in all %v", len(results), reported, total)
		}
		const answers = 4 // two turns, one of which called a tool, and a subagent
		report := p.used(answers, m{"groupBy": []string{"session", "model", "workspace", "day"}})
		if report.Total.Answers != answers || !near(report.Total.CostUSD, reported) || report.Total.Unpriced != 0 {
			t.Errorf("%d answers, %v dollars; the account says %+v", answers, reported, report.Total)
		}
		if row := report.Rows[0]; len(report.Rows) != 1 || row.SessionID != s.id || row.Day != report.Today || row.Title == "" ||
			row.Model == "" || row.WorkspaceID != s.record().WorkspaceID || row.Workspace == "" {
			t.Errorf("rows: %+v", report.Rows)
		}

		p.end()
		p.again()
		again := p.used(answers, m{"groupBy": []string{"session"}})
		if diff := cmp.Diff(report.Total, again.Total); diff != "" {
			t.Errorf("after a restart (-before +after):\n%s", diff)
		}
		s = p.resume(s)
		s.turn("hello again")
		more := of[*event.Result](s.c, s.id)[0]
		if !near(more.TotalCostUSD, reported+more.CostUSD) {
			t.Errorf("a turn of %v after %v makes %v", more.CostUSD, reported, more.TotalCostUSD)
		}
		after := p.used(answers+1, m{"groupBy": []string{}, "sessionId": s.id})
		if after.Total.Answers != answers+1 || !near(after.Total.CostUSD, more.TotalCostUSD) {
			t.Errorf("resumed: %+v, want %v dollars", after.Total, more.TotalCostUSD)
		}

		p.end() // the CLI saves its cost
		p.again()
		s = p.resume(s)
		fork := s.arrange("fork", m{})
		f := &conversation{p: p, c: p.watcher, id: fork.ID, dir: s.dir}
		f.turn("and on another way")
		own := of[*event.Result](f.c, f.id)[0]
		if !near(own.TotalCostUSD, more.TotalCostUSD+own.CostUSD) || own.CostUSD > 2*more.CostUSD || !near(f.record().TotalCostUSD, own.TotalCostUSD) {
			t.Errorf("the fork's turn cost %v of %v; the conversation that it was made from had cost %v", own.CostUSD, own.TotalCostUSD, more.TotalCostUSD)
		}
		both := p.used(answers+2, m{"groupBy": []string{"session"}})
		if len(both.Rows) != 2 || both.Total.Answers != answers+2 || !near(both.Total.CostUSD, own.TotalCostUSD) {
			t.Errorf("with a fork, whose total is %v: %+v of %+v", own.TotalCostUSD, both.Total, both.Rows)
		}

		p.watcher.refused("usage.query", m{"groupBy": []string{"colour"}}, "invalid", "colour")
		p.watcher.refused("usage.query", m{"groupBy": []string{}, "from": "yesterday"}, "invalid", "from")
	})
}

// The context report comes from the running CLI, and no process is started for it.
func TestContextReport(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().When(demo.Any, demo.Say("As you said.")))
		s := p.openWith(m{"engine": engine})
		s.write("CLAUDE.md", strings.Repeat("Be brief and kind. ", 40))
		ask := func() usage.ContextReport {
			return call[usage.ContextReport](p.watcher, "usage.context", m{"sessionId": s.id})
		}
		if r := ask(); r.Live || len(r.Categories) != 0 || s.record().PID != 0 {
			t.Errorf("without a process: %+v", r)
		}
		s.turn("hello")
		r := ask()
		kinds := map[string]int64{}
		for _, c := range r.Categories {
			kinds[c.Kind] += c.Tokens
		}
		if !r.Live || r.Window <= 0 || r.Total <= 0 || kinds["used"] <= 0 || kinds["free"] <= 0 || r.Model == "" {
			t.Errorf("with a process: %+v", r)
		}
		if len(r.MemoryFiles) != 1 || !strings.HasSuffix(r.MemoryFiles[0].Name, "CLAUDE.md") || r.MemoryFiles[0].Tokens <= 0 {
			t.Errorf("memory files: %+v", r.MemoryFiles)
		}
	})
}

// A budget is reported once in its period, and stops nothing.
func TestBudgets(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("As you said.")))
	news := p.connect()
	news.subscribe("usage.changed")
	call[settings.Settings](p.watcher, "settings.set", m{"budgetDayUSD": 0.000001, "budgetMonthTokens": 900_000_000_000})
	s := p.open()
	s.turn("hello")
	reached := await(news, "", "a budget", func(e *event.UsageChanged) bool { return len(e.Reached) > 0 })
	if b := reached.Reached[0]; len(reached.Reached) != 1 || b.Name != "day-usd" || b.Level != 100 || len(reached.Budgets) != 2 {
		t.Errorf("reached: %+v", reached)
	}
	s.turn("hello again")
	p.used(2, m{"groupBy": []string{}})
	news.drop()
	p.end()
	p.again()
	news = p.connect()
	news.subscribe("usage.changed")
	defer news.drop()
	s = p.resume(s)
	s.turn("and again")
	await(news, "", "the accounts", func(e *event.UsageChanged) bool { return e.Budgets[0].Used > reached.Budgets[0].Used })
	for _, e := range of[*event.UsageChanged](news, "") {
		if len(e.Reached) > 0 {
			t.Errorf("told again: %+v", e.Reached)
		}
	}
	p.watcher.refused("settings.set", m{"budgetDayUSD": -1}, "invalid", "budgetDayUSD")
}
