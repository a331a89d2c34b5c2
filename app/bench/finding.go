//go:build linux

package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// words of the corpus, as a user would search for them.
type vocabulary struct {
	common, rare []string
	pairs        []string // adjacent words
}

// vocabulary picks words from search results.
func (s *shelf) vocabulary() (vocabulary, error) {
	count := map[string]int{}
	var v vocabulary
	for letter := 'a'; letter <= 'z'; letter++ {
		var found struct{ Hits []struct{ Snippet string } }
		if err := s.call("search.query", map[string]any{"text": string(letter), "limit": 100}, &found); err != nil {
			return v, err
		}
		for _, h := range found.Hits {
			before := ""
			for _, word := range strings.Fields(h.Snippet) {
				if utf8.RuneCountInString(word) < 4 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
					before = ""
					continue
				}
				count[word]++
				if before != "" {
					v.pairs = append(v.pairs, before+" "+word)
				}
				before = word
			}
		}
	}
	words := make([]string, 0, len(count))
	for word := range count {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	if len(words) < 200 || len(v.pairs) < 50 {
		return v, fmt.Errorf("the snippets hold %d words and %d pairs", len(words), len(v.pairs))
	}
	v.common, v.rare = words[:50], words[len(words)-100:]
	return v, nil
}

// question is a kind of query.
type question struct {
	name string
	text func() string
}

func (v vocabulary) questions() []question {
	rnd := rand.New(rand.NewPCG(1, 1))
	pick := func(of []string) string { return of[rnd.IntN(len(of))] }
	start := func(n int) string { return string([]rune(pick(v.common))[:n]) }
	return []question{
		{"one letter", func() string { return start(1) }},
		{"two letters", func() string { return start(2) }},
		{"three letters", func() string { return start(3) }},
		{"a common word", func() string { return pick(v.common) + " " }},
		{"a rare word", func() string { return pick(v.rare) + " " }},
		{"three common words", func() string { return pick(v.common) + " " + pick(v.common) + " " + pick(v.common) + " " }},
		{"a word, and a letter of the next", func() string { return pick(v.common) + " " + start(1) }},
		{"words in quotation marks", func() string { return `"` + pick(v.pairs) + `"` }},
		{"a word that is nowhere", func() string { return "qq" + pick(v.rare) }},
	}
}

func (s *shelf) ask(text string) error {
	return s.call("search.query", map[string]any{"text": text}, nil)
}

// search queries like a typing user, while Parley is otherwise idle.
func (s *shelf) search(*memory) error {
	var all []time.Duration
	begun, err := s.calm()
	if err != nil {
		return err
	}
	before := begun
	for _, kind := range s.words.questions() {
		times, err := repeat(20*s.cfg.pages, func() error { return s.ask(kind.text()) })
		if err != nil {
			return err
		}
		after, err := cpuTime(s.pid)
		if err != nil {
			return err
		}
		all = append(all, times...)
		s.t.row("  search: "+kind.name, spread(times)+each(after-before, len(times)), "50 ms")
		before = after
	}
	s.t.row("  search: all of these", spread(all)+each(before-begun, len(all)), "50 ms")
	var found struct{ Total int }
	if err := s.call("search.query", map[string]any{"text": s.Needle}, &found); err != nil {
		return err
	}
	if found.Total != 1 {
		return fmt.Errorf("a word that is there once was found %d times", found.Total)
	}
	return nil
}

// calm waits until Parley is idle, which is the only sign that parts of the index are merged, and
// returns the CPU time used so far.
func (s *shelf) calm() (time.Duration, error) {
	const look, idle = 500 * time.Millisecond, 20 * time.Millisecond
	before, err := cpuTime(s.pid)
	for err == nil {
		select {
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		case <-time.After(look):
		}
		var now time.Duration
		now, err = cpuTime(s.pid)
		if now-before <= idle {
			return now, err
		}
		before = now
	}
	return 0, err
}

// each formats the CPU time per call.
func each(cpu time.Duration, calls int) string {
	return fmt.Sprintf(", %s of the processor each", milliseconds(cpu/time.Duration(calls)))
}

// others runs the same queries with programs that have no index.
func (s *shelf) others() error {
	for _, c := range []struct {
		what, name string
		args       []string
	}{
		{"beside it, rg: files with a word that is once", "rg", []string{"-l", s.Needle, s.Root}},
		{"beside it, rg: lines with a common word, counted", "rg", []string{"-c", "--no-filename", "ren", s.Root}},
		{"beside it, rg: the first prompt of every conversation", "rg", []string{"-m1", "--no-filename", `"type":"user"`, s.Root}},
		{"beside it, jq: the prompts of the biggest", "jq", []string{"-r", `select(.type=="user" and (.message.content|type)=="string")|.message.content`, s.Largest}},
		{"beside it, tail and jq: its last 200 lines", "sh", []string{"-c", `tail -n 200 "$1" | jq -c .message`, "sh", s.Largest}},
	} {
		path, err := exec.LookPath(c.name)
		if err != nil {
			s.t.row(c.what, "not installed", "")
			continue
		}
		times, err := repeat(min(3, s.cfg.pages), func() error {
			cmd := exec.CommandContext(s.ctx, path, c.args...)
			return cmd.Run() // output is discarded
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		s.t.row(c.what, milliseconds(slices.Min(times)), "")
	}
	return nil
}
