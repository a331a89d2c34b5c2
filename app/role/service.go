package role

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/service"
)

// systemTime bounds a systemd call: it waits until Parley is ready.
const systemTime = 2 * time.Minute

// service manages "parley serve" as a system service.
func (p Program) service(args []string) int {
	set := p.flags("parley service", "parley service install [flags]\n"+
		"parley service status [--json]\n"+
		"parley service uninstall\n\n"+
		"Makes systemd run \"parley serve\" now and at each login, and restart it when it fails or\n"+
		"hangs. To keep it running while you are logged out: loginctl enable-linger. To see its\n"+
		"log: journalctl --user -u parley.")
	listen := set.String("listen", "127.0.0.1:0", "`address` to listen on (install)")
	announce := set.Bool("announce", false, "save the address and token in the data folder, see \"parley serve -h\" (install)")
	data := set.String("data", "", "`folder` for Parley's data, instead of the usual one (install)")
	asJSON := set.Bool("json", false, "print JSON (status)")
	action := ""
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		action, args = args[0], args[1:]
	}
	if code, ok := parse(set, args, 0); !ok {
		return code
	}
	if action != "install" && action != "status" && action != "uninstall" {
		set.Usage()
		return exitUsage
	}
	if runtime.GOOS != "linux" {
		return p.fail(fault.New(fault.Unavailable, "This command needs systemd. Set up your system to run \"parley serve\" at login instead."))
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return p.fail(err)
	}
	manager := service.Manager{Path: service.PathIn(home, p.Getenv("XDG_CONFIG_HOME")), Run: run}
	ctx, cancel := context.WithTimeout(context.Background(), systemTime)
	defer cancel()
	switch action {
	case "install":
		command, err := serveCommand(*listen, *data, *announce)
		if err == nil {
			err = manager.Install(ctx, command)
		}
		if err != nil {
			return p.fail(err)
		}
		_, _ = fmt.Fprintf(p.Stdout, "Parley is running, and starts at each login. Its unit is %s.\n", manager.Path)
	case "uninstall":
		if err := manager.Uninstall(ctx); err != nil {
			return p.fail(err)
		}
		_, _ = fmt.Fprintln(p.Stdout, "The service was stopped and removed. Your data is kept.")
	case "status":
		return p.serviceStatus(ctx, manager, *asJSON)
	}
	return exitOK
}

// serviceStatus returns 0 only if the service is running.
func (p Program) serviceStatus(ctx context.Context, manager service.Manager, asJSON bool) int {
	s, err := manager.Status(ctx)
	if err != nil {
		return p.fail(err)
	}
	switch {
	case asJSON:
		text, err := json.Marshal(s)
		if err != nil {
			return p.fail(err)
		}
		_, _ = fmt.Fprintf(p.Stdout, "%s\n", text)
	case !s.Installed:
		_, _ = fmt.Fprintln(p.Stdout, "There is no service. To create it, run: parley service install")
	default:
		_, _ = fmt.Fprintf(p.Stdout, "State:     %s\nPID:       %d\nSays:      %s\nRestarts:  %d, last result %s\nAt login:  %v\n", s.State, s.PID, s.Says, s.Restarts, s.Result, s.Enabled)
	}
	if s.PID == 0 {
		return exitFailed
	}
	return exitOK
}

func serveCommand(listen, data string, announce bool) ([]string, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := []string{executable, "serve", "--listen", listen}
	if data != "" {
		command = append(command, "--data", data)
	}
	if announce {
		command = append(command, "--announce")
	}
	return command, nil
}

func run(ctx context.Context, name string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, name, args...).CombinedOutput() //nolint:gosec // the names are constants
	return string(text), err
}
