// Command parley runs the Claude Code CLI for a user: in a native window, or as
// a server for browsers and programs. This file only starts the role that the
// arguments name; see package parley/backend for the map of the program.
package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	// Time zones for systems without them: schedules name them.
	_ "time/tzdata"

	"parley/app"
	"parley/app/checkup"
	"parley/app/doctor"
	"parley/app/feature"
	"parley/app/gateway"
	"parley/app/role"
	"parley/backend/paths"
	"parley/backend/platform/handover"
	"parley/backend/platform/packed"
	"parley/backend/platform/seal"
	"parley/backend/update"
	"parley/build"
)

// The built front end, or only a placeholder.
//
//go:embed all:frontend/dist
var dist embed.FS

// memoryLimit is the soft memory limit of the Go runtime: it collects garbage more
// often near it. Parley normally needs far less; reading gigabytes of
// conversations for the first time produces garbage faster than that, and with the
// pages of the program itself it would use more than 250 MB.
const memoryLimit = 192 << 20

func main() {
	given, err := handover.Take()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "parley:", err)
	}
	environ, unsealed := seal.Process(role.Secret)
	if os.Getenv("GOMEMLIMIT") == "" { // an explicit setting takes precedence
		debug.SetMemoryLimit(memoryLimit)
	}
	page, err := fs.Sub(dist, "frontend/dist")
	if err != nil {
		panic(err) // the path is a constant
	}
	os.Exit(role.Run(role.Program{
		Args:  os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv:  seal.Getenv(environ),
		Page:    packed.FS(page),
		Version: version(),
		Updates: update.Source{Address: updateAddress, Key: updateKey},
		Table:   app.Methods,
		Open:    func(o role.Options) (role.Backend, error) { return open(o, environ) },
		Check: func(dirs paths.Dirs, repair bool, tell func(level, what, says string)) (bool, error) {
			return checkup.Check(dirs, environ, repair, tell)
		},
		Doctor: func(ctx context.Context, dirs paths.Dirs, fix bool) []doctor.CheckResult {
			return doctor.Run(ctx, doctor.Here(dirs, environ), fix)
		},
		Given: given,
		Restart: func(path string, args []string, given *handover.Given) error {
			return given.Exec(path, append([]string{os.Args[0]}, args...), environ)
		},

		Unsealed: unsealed,
	}))
}

func open(o role.Options, environ []string) (role.Backend, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// Only this process notifies the service manager.
	environ = slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		return strings.HasPrefix(v, "NOTIFY_SOCKET=") || strings.HasPrefix(v, "WATCHDOG_")
	})
	environ, secrets := feature.TakeSecrets(environ)
	cfg := app.Config{
		Version: o.Version, Dirs: o.Dirs, Env: environ, Secrets: secrets, Executable: executable, Relay: build.Relay(),
		Scripted: o.Scripted, Desktop: o.Desktop, Wait: o.Wait, Again: o.Again, Probe: o.Probe, Handed: o.Handed, Updater: o.Updater, Logger: o.Log,
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
	return backend{a}, nil
}

// backend is a Parley as the surfaces see it.
type backend struct{ *app.App }

// Devices implements [role.Backend].
func (b backend) Devices() gateway.Devices { return b.App.Devices() }

// release is the version in development or the released one; build/package sets it.
var release = "0.1.0"

// updateAddress is the URL of newer versions, updateKey the key that signs them (minisign). Both are ""
// except in a program that build/package built for an address.
var updateAddress, updateKey string

// version is the release with the commit that it was built from, if the build
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
