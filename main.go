// Command parley runs the Claude Code CLI for a person: in a native window, or as
// a server for browsers and programs. This file only starts the role that the
// arguments name; see package parley/backend for the map of the program.
package main

import (
	"embed"
	"io/fs"
	"os"
	"runtime/debug"

	// Time zones for systems that have none of their own: schedules name them.
	_ "time/tzdata"

	"parley/app"
	"parley/app/role"
)

// The front end as it was built, or just a placeholder.
//
//go:embed all:frontend/dist
var dist embed.FS

// memoryLimit is what the Go runtime tries not to go beyond: it collects garbage more
// often when it comes near. What Parley needs is far below; reading gigabytes of
// conversations for the first time makes garbage faster than that, and with the
// pages of the program itself it would hold more than 250 MB.
const memoryLimit = 192 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" { // who sets that knows better
		debug.SetMemoryLimit(memoryLimit)
	}
	page, err := fs.Sub(dist, "frontend/dist")
	if err != nil {
		panic(err) // the path is a constant
	}
	os.Exit(role.Run(role.Program{
		Args:  os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv:  os.Getenv,
		Page:    page,
		Version: version(),
		Open:    open,
	}))
}

func open(o role.Options) (role.Backend, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cfg := app.Config{
		Version: o.Version, Dirs: o.Dirs, Env: os.Environ(), Executable: executable,
		Rehearsal: o.Rehearsal, Desktop: o.Desktop, Wait: o.Wait, Logger: o.Log,
	}
	if o.Dialog != nil {
		cfg.Picker, cfg.Saver = o.Dialog, o.Dialog
	}
	if o.Attention != nil {
		cfg.Attention = o.Attention
	}
	a, err := app.New(cfg)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// release is the version in development or released.
const release = "0.1.0"

// version is the release with the commit that it was built from, when the build
// recorded that.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 8 {
			return release + "+" + s.Value[:8]
		}
	}
	return release
}
