//go:build linux

// Command bench compares Parley with the bare CLI on the machine it runs on and prints a table.
// Both use the same scripted model on the loopback interface, alternately in the same run, because
// only their ratio is meaningful on a machine that does other work too. It also measures Parley
// with thousands of generated conversations on disk, compared with programs that read the same
// files.
//
// It uses Parley from outside, through the gateway of a separate process, and reads that process's
// CPU time and memory from /proc; so it runs on Linux only. build/bench runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"parley/backend/demo"
)

func main() {
	var cfg config
	flag.StringVar(&cfg.parley, "parley", "", "the Parley to measure (without a window)")
	flag.StringVar(&cfg.claude, "claude", "", "the CLI to measure it against")
	flag.IntVar(&cfg.rounds, "rounds", 5, "rounds of each measurement against the CLI; 0 for none")
	flag.StringVar(&cfg.corpus, "corpus", "", "measure conversations on disk: full (2 GB) or small")
	flag.StringVar(&cfg.corpusDir, "corpus-dir", "", "where they are kept for the next time; otherwise they are removed")
	flag.IntVar(&cfg.pages, "pages", 5, "rounds of each measurement with them")
	flag.DurationVar(&cfg.idle, "idle", 10*time.Second, "how long idleness is measured")
	flag.IntVar(&cfg.sessions, "sessions", 0, "measure idleness with as many open sessions, too; each has a CLI with some 200 MB")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, cfg, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type config struct {
	parley, claude    string
	rounds            int
	idle              time.Duration
	sessions          int
	corpus, corpusDir string
	pages             int
}

func run(ctx context.Context, cfg config, out io.Writer) (err error) {
	if cfg.parley == "" || cfg.claude == "" {
		return fmt.Errorf("-parley and -claude are required")
	}
	for _, path := range []*string{&cfg.parley, &cfg.claude} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = abs
	}
	dir, err := os.MkdirTemp("", "ply-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	model, err := demo.Start(demo.Config{Script: script(), Logger: slog.New(slog.DiscardHandler), Instant: true})
	if err != nil {
		return err
	}
	defer model.Close()

	t := &table{w: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	defer func() { err = errors.Join(err, t.w.Flush()) }() // print the rows even after an error
	t.row("measurement", "result", "limit")
	var measures []func(context.Context, config, string, *demo.Server, *table) error
	if cfg.rounds > 0 {
		measures = append(measures, throughput, answers)
	}
	if cfg.rounds > 0 || cfg.sessions > 0 {
		measures = append(measures, idleness)
	}
	if cfg.corpus != "" {
		measures = append(measures, conversations)
	}
	for _, measure := range measures {
		if err := measure(ctx, cfg, dir, model, t); err != nil {
			return err
		}
	}
	return nil
}

// table collects the rows of the result.
type table struct{ w *tabwriter.Writer }

func (t *table) row(measurement, result, limit string) {
	fmt.Fprintf(t.w, "%s\t%s\t%s\n", measurement, result, limit)
}

func median[T int64 | float64 | time.Duration](values []T) T {
	s := slices.Clone(values)
	slices.Sort(s)
	return s[len(s)/2]
}

// environment is that of all measured programs: the model's, with a separate home.
func environment(dir string, model *demo.Server, extra ...string) ([]string, error) {
	home, settings := filepath.Join(dir, "home"), filepath.Join(dir, "home", ".claude")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return nil, err
	}
	return append(model.Env(home, settings), extra...), nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }
