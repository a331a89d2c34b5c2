package profiles

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"parley/backend/claude"
	"parley/backend/fault"
	"parley/backend/platform/process"
)

// The GitHub token: its variable, how long the GitHub CLI may take to print it, and its maximum
// length, in bytes.
const (
	gitHubToken = "GH_TOKEN"
	ghWait      = 10 * time.Second
	maxToken    = 1024
)

// ghToken is the user's token from the GitHub CLI. No error contains its output.
func ghToken(ctx context.Context, env []string) (string, error) {
	gh, err := claude.LookPath("gh", env)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The GitHub CLI (gh) was not found. Install it, or create a token in the browser and paste it.")
	}
	ctx, cancel := context.WithTimeout(ctx, ghWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, gh, "auth", "token", "--hostname", "github.com") //nolint:gosec // a program that the user has
	cmd.Env, cmd.WaitDelay = env, time.Second
	process.Bind(cmd)
	out, err := cmd.Output()
	token := string(bytes.TrimSpace(out))
	switch {
	case ctx.Err() != nil:
		return "", fault.Wrap(ctx.Err(), fault.Unavailable, "The GitHub CLI (gh) did not answer. Run “gh auth status” in a terminal to see why.")
	case err != nil:
		return "", fault.Wrap(errors.New("gh auth token failed"), fault.Unavailable, "The GitHub CLI (gh) is not signed in. Run “gh auth login” in a terminal, or create a token in the browser and paste it.")
	case token == "" || len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fault.New(fault.Unavailable, "The GitHub CLI (gh) gave something that is not a token. Create one in the browser and paste it.")
	}
	return token, nil
}
