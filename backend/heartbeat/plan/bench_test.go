package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkParse parses a full file.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("heartbeats:\n")
	for i := range MaxHeartbeats {
		fmt.Fprintf(&text, "  h%d: {prompt: %q, schedule: {cron: '0 0 29 2 *', zone: Europe/Berlin}, folder: /, quiet: {from: 22:00, to: 06:00}}\n", i, strings.Repeat("x ", 500))
	}
	data := []byte(text.String())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if file, _ := Parse(data); len(file.Heartbeats) != MaxHeartbeats {
			b.Fatal(len(file.Heartbeats))
		}
	}
}

// BenchmarkDueAfterAYear accounts for a year of due times every minute, with nights.
func BenchmarkDueAfterAYear(b *testing.B) {
	for name, schedule := range map[string]Schedule{"cron": {Cron: "* * * * *", Zone: "Europe/Berlin"}, "every": {Every: "2s"}} {
		b.Run(name, func(b *testing.B) {
			j := job(b, schedule, func(s *Spec) { s.Quiet = &Quiet{From: "22:00", To: "06:00"} })
			from, to := yearBounds()
			for b.Loop() {
				if got := j.Due(to, from); len(got.Decisions) > 124 {
					b.Fatal(len(got.Decisions))
				}
			}
		})
	}
}

// BenchmarkDue measures a wakeup of one heartbeat.
func BenchmarkDue(b *testing.B) {
	j := job(b, Schedule{Cron: "*/5 9-17 * * mon-fri", Zone: "Europe/Berlin"}, func(s *Spec) { s.Quiet = &Quiet{From: "22:00", To: "06:00"} })
	from, _ := yearBounds()
	for b.Loop() {
		j.Due(from.Add(time.Minute), from)
	}
}

// BenchmarkNoSuchDay measures the longest possible search.
func BenchmarkNoSuchDay(b *testing.B) {
	for b.Loop() {
		if _, message := parseCron("59 23 31 2 *"); message == "" {
			b.Fatal("there is such a day")
		}
	}
}

// BenchmarkPut changes one heartbeat of a full file.
func BenchmarkPut(b *testing.B) {
	var text strings.Builder
	text.WriteString("heartbeats:\n")
	for i := range MaxHeartbeats - 1 {
		fmt.Fprintf(&text, "  h%d: {prompt: x, schedule: {every: 1h}, folder: /}\n", i)
	}
	spec := Spec{Name: "h1", Prompt: "y", Folder: "/", Enabled: true, Schedule: Schedule{Every: "1h"}}
	for b.Loop() {
		if _, err := Upsert([]byte(text.String()), "h1", spec); err != nil {
			b.Fatal(err)
		}
	}
}
