//go:build linux

package border

import (
	"math"
	"slices"
	"strings"
	"testing"

	"parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// The CLI's own commands: the context, a compaction, clearing.
func TestCommands(t *testing.T) {
	t.Parallel()
	usage := demo.Usage{Input: 10, CacheRead: 50_000, CacheCreation: 100, Output: 200}
	p := start(t, demo.NewRules().
		When(demo.Contains("one"), demo.Say("First answer.").Usage(usage)).
		When(demo.Contains("two"), demo.Say("Second answer.").Usage(usage)).
		When(demo.Contains("three"), demo.Say("Third answer.")).
		When(demo.Contains("four"), demo.Say("Fourth answer.")))
	s := p.open()
	s.turn("one")
	s.turn("two")
	s.meter(usage)
	cost := s.record().TotalCostUSD

	// Of the context.
	turn := s.prompt("/context")
	s.done(turn, "completed")
	said := s.said(turn)
	if !strings.Contains(said, "Context Usage") || !slices.ContainsFunc(of[*event.TextDelta](s.c, s.id), func(e *event.TextDelta) bool {
		return e.TurnID == turn && e.Model == "<synthetic>"
	}) {
		t.Errorf("/context: said %q", said)
	}
	s.meter(usage) // the model was not asked
	account := call[sessions.SessionContext](s.c, "session.context", m{"sessionId": s.id})
	if account.Window != 1_000_000 || len(account.Categories) == 0 || account.Model == "" {
		t.Errorf("session.context: %+v", account)
	}

	// A compaction.
	turn = s.prompt("/compact")
	s.done(turn, "completed")
	compactions := of[*event.Compaction](s.c, s.id)
	if len(compactions) != 2 || compactions[0].Phase != "started" || compactions[1].Phase != "finished" ||
		compactions[1].Trigger != "manual" || compactions[1].PreTokens == 0 || compactions[1].PostTokens == 0 {
		t.Errorf("compactions %+v", compactions)
	}
	meter := s.record().Context
	if meter == nil || meter.Used >= 50_000 {
		t.Errorf("the meter after the compaction: %+v", meter)
	}
	if !slices.ContainsFunc(s.history(), func(m event.Message) bool { return m.Notice != nil && m.Notice.Kind == "compaction" }) {
		t.Error("the history does not show the compaction")
	}
	if got := s.turn("three"); got != "Third answer." {
		t.Errorf("said %q", got)
	}
	if r := p.lastRequest(); !strings.Contains(wholeText(r), "being continued from a previous conversation") {
		t.Error("the model does not have the summary")
	}

	// Clearing.
	before := s.record()
	if before.TotalCostUSD <= cost {
		t.Errorf("the cost went from %v to %v", cost, before.TotalCostUSD)
	}
	turn = s.prompt("/clear")
	s.done(turn, "completed")
	await(s.c, s.id, "cleared", func(e *event.Status) bool { return e.Status == "cleared" })
	if got := s.turn("four"); got != "Fourth answer." {
		t.Errorf("said %q", got)
	}
	after := s.record()
	results := of[*event.Result](s.c, s.id)
	last := results[len(results)-1]
	if after.CLISessionID == before.CLISessionID || after.CLISessionID == "" {
		t.Errorf("the conversation is still %q", after.CLISessionID)
	}
	if after.TotalCostUSD >= before.TotalCostUSD || math.Abs(last.CostUSD-last.TotalCostUSD) > 1e-9 {
		t.Errorf("the cost went from %v to %v, of which %v for the last turn", before.TotalCostUSD, after.TotalCostUSD, last.CostUSD)
	}
	if r := p.lastRequest(); r.Prompts != 1 || strings.Contains(wholeText(r), "Third answer.") {
		t.Error("the model still knows what was said before")
	}
}

func (s *conversation) history() []event.Message {
	s.p.t.Helper()
	return call[event.History](s.c, "session.history", m{"sessionId": s.id, "limit": 500}).Messages
}

// wholeText is the model's whole input.
func wholeText(r demo.Request) string {
	var b strings.Builder
	for _, msg := range r.Messages {
		for _, block := range msg.Blocks {
			b.WriteString(block.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Settings of a session apply in the CLI from then on, before its process
// starts, while it runs, and for the next one.
func TestSettingsOfASession(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().
		When(demo.Contains("write"), demo.Use("Write", m{"file_path": "made", "content": "x"}), demo.Say("Made.")).
		When(demo.Any, demo.Say("Hello.")))
	s := p.open()
	call[m](s.c, "session.setModel", m{"sessionId": s.id, "model": "claude-sonnet-5"})
	s.turn("hello")
	if r := p.lastRequest(); r.Model != "claude-sonnet-5" {
		t.Errorf("the model asked was %q", r.Model)
	}
	call[m](s.c, "session.setModel", m{"sessionId": s.id, "model": "claude-haiku-4-5"})
	s.turn("hello again")
	if r := p.lastRequest(); r.Model != "claude-haiku-4-5" {
		t.Errorf("then the model asked was %q", r.Model)
	}
	turn := s.prompt("write it")
	s.answer(s.question(), m{"behavior": "deny"})
	s.done(turn, "completed")
	call[m](s.c, "session.setPermissionMode", m{"sessionId": s.id, "mode": "acceptEdits"})
	s.turn("write it")
	if !s.exists("made") || s.record().PermissionMode != "acceptEdits" {
		t.Errorf("edits were not accepted: %+v", s.record())
	}
	call[m](s.c, "session.setEffort", m{"sessionId": s.id, "effort": "high"})
	if got := s.record().Effort; got != "high" {
		t.Errorf("effort %q", got)
	}
}
