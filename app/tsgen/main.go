// Command tsgen writes the TypeScript of the border: an interface for every event,
// parameter and result, the union of the events, and the map of the methods. It
// reads the Go types by reflection, from [event.All] and the method table, and
// their comments from the sources. Nothing in the front end repeats a border type
// by hand; a test fails when the file is stale.
//
// Run it with
//
//	go run ./app/tsgen
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"parley/app"
	"parley/backend/event"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tsgen:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	code, err := generate(root)
	if err != nil {
		return err
	}
	target := filepath.Join(root, filepath.FromSlash(output))
	if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, code) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, code, 0o644)
}

const output = "frontend/src/host/border.gen.ts"

// generate returns the whole file. root is the module's folder.
func generate(root string) ([]byte, error) {
	docs, err := readDocs(
		filepath.Join(root, "app"), filepath.Join(root, "backend", "event"), filepath.Join(root, "backend", "settings"),
	)
	if err != nil {
		return nil, err
	}
	table := app.NewTable(slog.New(slog.DiscardHandler), app.Services{})
	g := newGenerator(docs)
	return g.file(event.All(), table.List())
}

// moduleRoot is the nearest folder above the current one that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod here or above")
		}
		dir = parent
	}
}
