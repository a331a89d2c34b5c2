package toolserver

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary be what the CLI spawns: "parley mcp".
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "mcp" {
		if err := relayMain(); err != nil {
			fmt.Fprintln(os.Stderr, "parley mcp:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func relayMain() error {
	endpoint, err := TakeEndpoint()
	if err != nil {
		return err
	}
	return Relay(context.Background(), os.Stdin, os.Stdout, endpoint)
}
