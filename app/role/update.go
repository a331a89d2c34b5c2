package role

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	appupdate "parley/app/update"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/update"
)

// restartLimit bounds how long a running Parley may take to report that it restarts as the new
// version.
const restartLimit = 30 * time.Second

// updater updates the program at a path.
func (p Program) updater(path string, dirs paths.Dirs, log *slog.Logger) *update.Updater {
	target := runtime.GOOS + "-" + runtime.GOARCH
	if hasWindow {
		target += "-window"
	}
	return &update.Updater{Source: p.Updates, Version: p.Version, Program: path, Target: target, Dir: filepath.Join(dirs.Data, paths.UpdateFolder), Log: log}
}

// update installs the newest Parley, or checks for it.
func (p Program) update(args []string) int {
	set := p.flags("parley update", "parley update [flags]\n\n"+
		"Replaces this Parley with the newest one. A running Parley that can be reached (see\n"+
		"\"parley serve --announce\") continues as the new version, and no turn is interrupted. In\n"+
		"any other, choose \"Restart Parley\" in its menu. The previous program is kept next to the\n"+
		"new one, with \".previous\" added to its name. Only updates signed by the makers of this\n"+
		"Parley are installed.")
	data := set.String("data", "", "`folder` of Parley's data, instead of the usual one")
	check := set.Bool("check", false, "only check whether there is a newer one")
	asJSON := set.Bool("json", false, "print JSON")
	if code, ok := parse(set, args, 0); !ok {
		return code
	}
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return p.fail(err)
	}
	u := p.updater(path, dirs, slog.New(slog.DiscardHandler))
	if *check {
		now, err := appupdate.Look(ctx, u, true)
		if err != nil {
			return p.fail(err)
		}
		return p.tellUpdates(now, *asJSON)
	}
	// A session's CLI is not a user.
	if p.Getenv("CLAUDECODE") != "" {
		return p.fail(fault.New(fault.Forbidden, "A session cannot update Parley. Run \"parley update\" in your own terminal."))
	}
	version, err := u.Install(ctx, func(ctx context.Context) error {
		return (&takeover{left: left{Program: path}}).probe(ctx, dirs, hasWindow)
	})
	if err != nil {
		return p.fail(err)
	}
	now := appupdate.Updated{Version: version, State: p.renew(ctx, *data)}
	if *asJSON {
		return p.printed(now)
	}
	said := map[string]string{
		"restarting": "The running Parley continues as the new version.",
		"waiting":    "The running Parley continues as the new version when its sessions have finished.",
		"installed":  "A running Parley stays as it is until you choose \"Restart Parley\" in its menu.",
	}
	_, _ = fmt.Fprintf(p.Stdout, "Parley %s is installed; it was %s. %s\n", version, p.Version, said[now.State])
	return exitOK
}

// renew makes a running Parley continue as the program on disk, if one can be reached.
func (p Program) renew(ctx context.Context, data string) (state string) {
	const installed = "installed"
	server, err := p.findServer(data)
	if err != nil {
		return installed
	}
	ctx, cancel := context.WithTimeout(ctx, restartLimit)
	defer cancel()
	l, err := dial(ctx, server)
	if err != nil {
		return installed
	}
	defer l.close()
	answer, err := l.call("app.restart", json.RawMessage(`{"when":"idle"}`))
	var got struct{ State string }
	if err = errors.Join(err, json.Unmarshal(answer, &got)); err != nil {
		_, _ = fmt.Fprintln(p.Stderr, "parley: the running Parley could not be restarted:", err)
		return installed
	}
	return got.State
}

func (p Program) tellUpdates(now appupdate.Updates, asJSON bool) int {
	switch {
	case asJSON:
		return p.printed(now)
	case now.State == "off":
		_, _ = fmt.Fprintln(p.Stdout, now.How)
	case now.State == "current":
		_, _ = fmt.Fprintf(p.Stdout, "There is no newer Parley than %s.\n", now.Version)
	default:
		_, _ = fmt.Fprintf(p.Stdout, "Parley %s is available; this is %s. To install it, run: parley update\n", now.Newer, now.Version)
		if now.Notes != "" {
			_, _ = fmt.Fprintf(p.Stdout, "\n%s\n", now.Notes)
		}
	}
	return exitOK
}

// printed prints a value as JSON.
func (p Program) printed(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return p.fail(err)
	}
	return p.print(text)
}
