// Package relay is the stdio end of Parley's tools: what the CLI spawns as "parley mcp".
// It copies bytes between the CLI and the unix socket of the running Parley, whose package
// toolserver is at the other end.
//
// Every running session has one such process, so the package knows nothing but sockets:
// the command in its folder parley-mcp contains only this package, and needs a tenth of the
// memory that the whole program would.
//
// Goroutines: [Run] has one that reads stdin; see there when it ends.
package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

const (
	// EnvSocket and EnvToken are the environment variables that say where to
	// connect.
	EnvSocket = "PARLEY_MCP_SOCKET"
	EnvToken  = "PARLEY_MCP_TOKEN"
	// HelloTimeout bounds the time until a connection is admitted.
	HelloTimeout = 5 * time.Second
)

// Hello is the first line of a connection, sent by the relay.
type Hello struct {
	Token string `json:"token"`
}

// Welcome is the first line back. Reason is a general reason for a refusal: the peer
// may be anyone.
type Welcome struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"`
}

// Endpoint is the socket to connect to and the token, which no formatting prints.
type Endpoint struct {
	socket string
	token  func() string
}

// NewEndpoint returns the endpoint of a socket.
func NewEndpoint(socket, token string) Endpoint {
	return Endpoint{socket, func() string { return token }}
}

// TakeEndpoint reads the endpoint from the environment, as getenv gives it. Its error
// says what is missing, for a user who ran "parley mcp" by hand.
func TakeEndpoint(getenv func(string) string) (Endpoint, error) {
	socket, token := getenv(EnvSocket), getenv(EnvToken)
	if socket == "" || token == "" {
		return Endpoint{}, fmt.Errorf("%s and %s are not set: \"parley mcp\" is started by the CLI of a Parley session", EnvSocket, EnvToken)
	}
	return NewEndpoint(socket, token), nil
}

// Main runs this role of the process, which ends with ctx or with its connection. Errors
// are printed on stderr, worded for a user.
func Main(ctx context.Context, getenv func(string) string, stdin io.ReadCloser, stdout, stderr io.Writer) (code int) {
	endpoint, err := TakeEndpoint(getenv)
	if err == nil {
		err = Run(ctx, stdin, stdout, endpoint)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "parley mcp:", err)
		return 1
	}
	return 0
}

// Run copies bytes between the CLI, on stdin and
// stdout, and the running Parley. It returns nil if the CLI ended it by closing
// stdin or if ctx ended, and otherwise an error worded for a user.
// It closes stdin, which frees its reading goroutine where the system allows it;
// elsewhere that goroutine ends with the process.
func Run(ctx context.Context, stdin io.ReadCloser, stdout io.Writer, e Endpoint) error {
	defer stdin.Close()
	var dialer net.Dialer
	dialed, err := dialer.DialContext(ctx, "unix", e.socket)
	if err != nil {
		return fmt.Errorf("cannot reach Parley: %w", err)
	}
	conn := dialed.(*net.UnixConn)
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	fromParley := bufio.NewReaderSize(conn, 64<<10)
	if err := greet(conn, fromParley, e.token()); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}

	eof := make(chan struct{})
	go func() {
		if err := pass(conn, stdin); err != nil {
			return // the connection broke, which the other direction notices too
		}
		close(eof)
		// Parley may still have answers to send; it closes the connection when it has
		// seen this end.
		_ = conn.CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(HelloTimeout))
	}()
	err = pass(stdout, fromParley)
	select {
	case <-eof:
		return nil
	case <-ctx.Done():
		return nil
	default:
	}
	if err != nil {
		return fmt.Errorf("the connection to Parley broke: %w", err)
	}
	return errors.New("the connection was ended by Parley")
}

// pass copies in this process's memory. Otherwise [io.Copy] has the kernel do it,
// through an intermediate pipe: any process of the same user could open that by its name
// in /proc, and inject data into either stream.
func pass(w io.Writer, r io.Reader) error {
	_, err := io.Copy(struct{ io.Writer }{w}, struct{ io.Reader }{r})
	return err
}

// greet sends the token and waits to be admitted.
func greet(conn *net.UnixConn, r *bufio.Reader, token string) error {
	// Longer than Parley takes to decide, so that its reason arrives.
	if err := conn.SetDeadline(time.Now().Add(2 * HelloTimeout)); err != nil {
		return err
	}
	hello, err := json.Marshal(Hello{Token: token})
	if err != nil {
		return err
	}
	if _, err := conn.Write(append(hello, '\n')); err != nil {
		return fmt.Errorf("no welcome from Parley: %w", err)
	}
	line, err := r.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("no welcome from Parley: %w", err)
	}
	var w Welcome
	if err := json.Unmarshal(line, &w); err != nil {
		return fmt.Errorf("no welcome from Parley: %w", err)
	}
	if !w.OK {
		return fmt.Errorf("refused by Parley: %s", w.Reason)
	}
	return conn.SetDeadline(time.Time{})
}
