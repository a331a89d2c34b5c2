//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/demo"
)

// words is the length of the long answer; each is a separate delta.
const words = 20_000

// The scripted model's prompts.
const (
	promptHello = "hello"
	promptLong  = "long"
	promptTool  = "tool"
)

func script() demo.Script {
	return demo.NewRules().
		When(demo.Contains(promptLong), demo.Say(strings.Repeat("word ", words))).
		When(demo.Contains(promptTool),
			demo.Use("Bash", map[string]any{"command": "touch bench.txt", "description": "Touch a file"}),
			demo.Say("Very well.")).
		When(demo.Any, demo.Say("Hello."))
}

// throughput compares one long answer through Parley with the bare CLI, whose output is read and
// discarded.
func throughput(ctx context.Context, cfg config, dir string, model *demo.Server, t *table) error {
	env, err := environment(filepath.Join(dir, "throughput"), model)
	if err != nil {
		return err
	}
	bare, err := startCLI(ctx, cfg.claude, dir, env)
	if err != nil {
		return err
	}
	defer bare.stop()
	parley, err := startParley(ctx, cfg, filepath.Join(dir, "throughput"), env)
	if err != nil {
		return err
	}
	defer parley.stop()
	session, err := parley.create(dir)
	if err != nil {
		return err
	}
	// The first turn of both includes the startup.
	if _, err := bare.prompt(promptHello); err != nil {
		return err
	}
	if _, err := parley.prompt(session, promptHello); err != nil {
		return err
	}
	var bareTook, parleyTook, cpu []time.Duration
	drain := func() error {
		took, err := bare.prompt(promptLong)
		bareTook = append(bareTook, took)
		return err
	}
	through := func() error {
		before, err := ownTime(parley.pid)
		if err != nil {
			return err
		}
		turn, err := parley.prompt(session, promptLong)
		if err != nil {
			return err
		}
		after, err := ownTime(parley.pid)
		if err != nil {
			return err
		}
		if turn.words != words {
			return fmt.Errorf("%d of %d words came through", turn.words, words)
		}
		parleyTook = append(parleyTook, turn.took)
		cpu = append(cpu, after-before)
		return nil
	}
	for i := range cfg.rounds {
		// Alternate which of the two comes second.
		turns := []func() error{drain, through}
		if i%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return err
			}
		}
	}
	rss, err := resident(parley.pid)
	if err != nil {
		return err
	}
	// The fastest rounds are the ones least disturbed by the rest of the machine.
	b, p := slices.Min(bareTook), slices.Min(parleyTook)
	t.row(fmt.Sprintf("%d words, bare CLI drained", words), fastest(b, bareTook), "")
	t.row(fmt.Sprintf("%d words through the gateway", words), fastest(p, parleyTook), "")
	t.row("  ratio of the fastest", fmt.Sprintf("%.3f", float64(p)/float64(b)), "1.05")
	t.row("  Parley's own processor time, with its host's", milliseconds(median(cpu)), "100 ms")
	t.row("  Parley's own memory after it", megabytes(rss), "")
	return nil
}

// answers compares the time until the CLI's next frame after a permission was denied: through
// Parley, and answered on the bare CLI's own control channel. Denied, because then no tool runs in
// between.
func answers(ctx context.Context, cfg config, dir string, model *demo.Server, t *table) error {
	env, err := environment(filepath.Join(dir, "answers"), model)
	if err != nil {
		return err
	}
	bare, err := startCLI(ctx, cfg.claude, dir, env)
	if err != nil {
		return err
	}
	defer bare.stop()
	parley, err := startParley(ctx, cfg, filepath.Join(dir, "answers"), env)
	if err != nil {
		return err
	}
	defer parley.stop()
	session, err := parley.create(dir)
	if err != nil {
		return err
	}
	var bareTook, parleyTook []time.Duration
	for i := range 4 * cfg.rounds {
		b, err := bare.deny(promptTool)
		if err != nil {
			return err
		}
		p, err := parley.deny(session, promptTool)
		if err != nil {
			return err
		}
		// The first turn of both includes the startup.
		if i > 0 {
			bareTook, parleyTook = append(bareTook, b), append(parleyTook, p)
		}
	}
	b, p := median(bareTook), median(parleyTook)
	t.row("permission answer to next frame, bare CLI", milliseconds(b), "")
	t.row("permission answer to next event, Parley", milliseconds(p), "")
	t.row("  added by Parley", milliseconds(p-b), "5 ms")
	return nil
}

// idleness measures Parley's cost while idle: without a session, with three, and with as many as
// cfg wants.
func idleness(ctx context.Context, cfg config, dir string, model *demo.Server, t *table) error {
	env, err := environment(filepath.Join(dir, "idle"), model)
	if err != nil {
		return err
	}
	parley, err := startParley(ctx, cfg, filepath.Join(dir, "idle"), env)
	if err != nil {
		return err
	}
	defer parley.stop()
	const few = 3
	if err := idle(ctx, cfg, parley, t, 0, "60 MB"); err != nil {
		return err
	}
	if err := open(parley, dir, few); err != nil {
		return err
	}
	if err := idle(ctx, cfg, parley, t, few, "60 MB"); err != nil || cfg.sessions <= few {
		return err
	}
	if err := open(parley, dir, cfg.sessions-few); err != nil {
		return err
	}
	return idle(ctx, cfg, parley, t, cfg.sessions, "100 MB")
}

// mostRelay is the maximum memory of one session's relay, in bytes.
const mostRelay = 4e6

// open starts sessions, each with a turn.
func open(p *parley, dir string, sessions int) error {
	for range sessions {
		session, err := p.create(dir)
		if err != nil {
			return err
		}
		if _, err := p.prompt(session, promptHello); err != nil {
			return err
		}
	}
	return nil
}

// idle measures for a while without any requests.
func idle(ctx context.Context, cfg config, p *parley, t *table, sessions int, most string) error {
	before, err := cpuTime(p.pid)
	if err != nil {
		return err
	}
	slept, _, err := wakeups(p.pid)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(cfg.idle):
	}
	after, err := cpuTime(p.pid)
	if err != nil {
		return err
	}
	woke, threads, err := wakeups(p.pid)
	if err != nil {
		return err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
	if err != nil {
		return err
	}
	rss, err := resident(p.pid)
	if err != nil {
		return err
	}
	t.row(fmt.Sprintf("idle with %d sessions: processor", sessions), fmt.Sprintf("%.2f %%", 100*float64(after-before)/float64(cfg.idle)), "1 %")
	t.row(fmt.Sprintf("idle with %d sessions: wakeups in a second", sessions), fmt.Sprintf("%.1f", float64(woke-slept)/cfg.idle.Seconds()), "")
	t.row(fmt.Sprintf("idle with %d sessions: threads, open files", sessions), fmt.Sprintf("%d, %d", threads, len(files)), "")
	t.row(fmt.Sprintf("idle with %d sessions: Parley's own memory", sessions), megabytes(rss), most)
	count, private, err := relays(p.pid)
	if err != nil {
		return err
	}
	t.row(fmt.Sprintf("idle with %d sessions: memory that %d relays have for themselves", sessions, count), megabytes(private), megabytes(int64(sessions)*mostRelay))
	return nil
}

func fastest(best time.Duration, all []time.Duration) string {
	return fmt.Sprintf("%s (median %s)", milliseconds(best), milliseconds(median(all)))
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// ownTime is the CPU time of a Parley and of the process that holds its CLIs, without that of the
// CLIs.
func ownTime(pid int) (time.Duration, error) {
	total, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range lists {
		text, _ := os.ReadFile(path) // the thread may have ended
		for child := range strings.FieldsSeq(string(text)) {
			name, _ := os.ReadFile("/proc/" + child + "/comm")
			if !strings.HasPrefix(string(name), "parley") {
				continue
			}
			number, err := strconv.Atoi(child)
			if err != nil {
				return 0, err
			}
			spent, err := cpuTime(number)
			if err != nil {
				return 0, err
			}
			total += spent
		}
	}
	return total, err
}

// cpuTime is the user and system time of a process, apart from its children.
func cpuTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may contain anything; after it, everything is a number.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat is cut off", pid)
	}
	var ticks int64
	for _, f := range fields[11:13] {
		var n int64
		if _, err := fmt.Sscan(f, &n); err != nil {
			return 0, err
		}
		ticks += n
	}
	// Linux reports hundredths of a second to programs, whatever its own unit.
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// wakeups counts how often the threads of a process have gone to sleep, and the threads.
func wakeups(pid int) (count int64, threads int, err error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, path := range tasks {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
				var n int64
				if _, err := fmt.Sscan(rest, &n); err != nil {
					return 0, 0, err
				}
				count += n
			}
		}
	}
	return count, len(tasks), err
}

// resident is a process's resident memory, in bytes.
func resident(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kilobytes int64
			_, err := fmt.Sscan(rest, &kilobytes)
			return kilobytes * 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status names no memory", pid)
}
