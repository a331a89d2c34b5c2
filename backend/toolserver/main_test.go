package toolserver

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"parley/backend/toolserver/relay"
)

// TestMain lets the test binary act as the program that the CLI spawns: "parley mcp".
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "mcp" {
		os.Exit(relay.Main(context.Background(), os.Getenv, os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}
