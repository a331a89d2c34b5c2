// Command papers writes the documents that a package needs beside the program: man
// pages from the program's own help, and the licenses of everything in it.
//
//	papers man PROGRAM DATE FOLDER
//	papers licences PROGRAM FRONTEND
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "papers:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	switch {
	case len(args) == 4 && args[0] == "man":
		return manPages(args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "licences":
		return licences(args[1], args[2], out)
	}
	return errors.New("usage: papers man PROGRAM DATE FOLDER | papers licences PROGRAM FRONTEND")
}

// manPages writes a page for the program and one for each of its commands.
func manPages(program, date, folder string) error {
	help, err := says(program, "help")
	if err != nil {
		return err
	}
	pages := map[string]string{"parley.1": manual("parley", date, help)}
	for _, name := range commands(help) {
		text, err := says(program, name, "-h")
		if err != nil {
			return err
		}
		pages["parley-"+name+".1"] = manual("parley-"+name, date, text)
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(page), 0o644); err != nil { //nolint:gosec // it is to be read by everybody
			return err
		}
	}
	return nil
}

// says returns the program's output, on either stream.
func says(program string, args ...string) (string, error) {
	home, err := os.MkdirTemp("", "parley-papers-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(home) }()
	cmd := exec.CommandContext(context.Background(), program, args...) //nolint:gosec // the caller's own program
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	text, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %q: %w\n%s", program, args, err, text)
	}
	return string(text), nil
}
