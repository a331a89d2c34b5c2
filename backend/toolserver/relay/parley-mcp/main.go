// Command parley-mcp is "parley mcp" as a separate program: small, static, and without
// the window. It is built into Parley, which has the CLI spawn it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"parley/backend/host"
	"parley/backend/platform/contain"
	"parley/backend/platform/seal"
	"parley/backend/toolserver/relay"
)

// The arguments are those of "parley", which may be spawned instead: "mcp", or
// "guard" or "host" and a folder.
func main() {
	// Parley reports what could not be sealed; it tried the same.
	environ, _ := seal.Process(func(name string) bool { return name == relay.EnvToken })
	if roles := map[string]func(*os.File, string) error{"guard": guard, "host": host.Main}; len(os.Args) == 3 && roles[os.Args[1]] != nil {
		// This process outlives Parley, however Parley ends. The signals are caught rather than
		// ignored, because child processes would inherit ignored ones.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		if roles[os.Args[1]](os.Stdin, os.Args[2]) != nil {
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := relay.Main(ctx, seal.Getenv(environ), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func guard(life *os.File, folder string) error { return contain.Guard(life, folder) }
