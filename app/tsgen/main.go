// Command tsgen writes the TypeScript of the border: an interface for every event,
// parameter and result, the union of the events, and the map of the methods. It
// reads the Go types by reflection, from [event.All] and the method table, and
// their comments from the sources. Nothing in the front end repeats a border type
// by hand; a test fails if the file is stale. It also writes the meaning of each parameter,
// for method.list and the shell, and the sentences that other languages translate.
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
	"parley/backend/problem"
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
	for name, generate := range outputs {
		code, err := generate(root)
		if err != nil {
			return err
		}
		target := filepath.Join(root, filepath.FromSlash(name))
		if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, code) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, code, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// outputs are the generated files, each with its generator.
var outputs = map[string]func(root string) ([]byte, error){output: generate, paramsOutput: generateParams, sentencesOutput: generateSentences}

func generateParams(root string) ([]byte, error) {
	return newGenerator(root).params(app.Methods(slog.New(slog.DiscardHandler)).List())
}

const output = "frontend/src/host/border.gen.ts"

// generate returns the complete file. root is the module's folder.
func generate(root string) ([]byte, error) {
	table := app.Methods(slog.New(slog.DiscardHandler))
	g := newGenerator(root)
	return g.file(event.All(), table.List(), []list{
		{"ProblemID", "problemIDs", "What may be wrong with Parley.", problem.IDs()},
		{"FailureCode", "failureCodes", "Why a session or a turn may fail.", event.FailureCodes()},
		{"ThingID", "thingIDs", "What may not be saved then.", problem.Things()},
	})
}

// moduleRoot is the nearest parent folder with a go.mod.
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
