package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tourTexts holds the texts of the tour, one Markdown file for each passage.
//
//go:embed tour
var tourTexts embed.FS

// demoFiles is the workspace of the tour.
//
//go:embed demo
var demoFiles embed.FS

// words returns a passage of the tour. pairs are names and values: {name} in the
// passage becomes the value.
func words(name string, pairs ...string) string {
	b, err := tourTexts.ReadFile("tour/" + name + ".md")
	if err != nil {
		panic("demo: " + err.Error()) // a misspelled name; a test covers every passage
	}
	text := strings.TrimSpace(string(b))
	for i := 0; i+1 < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, "{"+pairs[i]+"}", pairs[i+1])
	}
	return text
}

// paragraphs joins passages.
func paragraphs(list ...string) string { return strings.Join(list, "\n\n") }

// Folder creates the demo workspace of the tour in dir, with dir and its parents if
// necessary. Existing files are kept, so a user's changes are not lost.
func Folder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the demo folder: %w", err)
	}
	entries, err := demoFiles.ReadDir("demo")
	if err != nil {
		return fmt.Errorf("read the demo files: %w", err)
	}
	for _, entry := range entries {
		content, err := demoFiles.ReadFile("demo/" + entry.Name())
		if err != nil {
			return fmt.Errorf("read the demo files: %w", err)
		}
		err = writeNew(filepath.Join(dir, entry.Name()), content)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("lay the demo folder: %w", err)
		}
	}
	return nil
}

func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
