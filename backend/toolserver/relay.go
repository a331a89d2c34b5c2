package toolserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// Endpoint is where a relay connects, and with which token.
type Endpoint struct {
	Socket string
	token  secret
}

// TakeEndpoint reads the endpoint from the environment and removes the token from
// it. Its error says what is missing, for a person who ran "parley mcp" by hand.
func TakeEndpoint() (Endpoint, error) {
	e := Endpoint{Socket: os.Getenv(EnvSocket), token: newSecret(os.Getenv(EnvToken))}
	if err := os.Unsetenv(EnvToken); err != nil {
		return Endpoint{}, err
	}
	if e.Socket == "" || e.token.reveal() == "" {
		return Endpoint{}, fmt.Errorf("%s and %s are not set: \"parley mcp\" is started by the CLI of a Parley session", EnvSocket, EnvToken)
	}
	return e, nil
}

// Relay is the role "parley mcp": it copies bytes between the CLI, on stdin and
// stdout, and the running Parley. It returns nil when the CLI ended it by closing
// stdin or when ctx ended, and otherwise what went wrong, in words for a person.
// It closes stdin, which frees its reading goroutine where the system allows it;
// where it does not, that goroutine ends with the process.
func Relay(ctx context.Context, stdin io.ReadCloser, stdout io.Writer, e Endpoint) error {
	defer stdin.Close()
	var dialer net.Dialer
	dialed, err := dialer.DialContext(ctx, "unix", e.Socket)
	if err != nil {
		return fmt.Errorf("cannot reach Parley: %w", err)
	}
	conn := dialed.(*net.UnixConn)
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	fromParley := bufio.NewReaderSize(conn, 64<<10)
	if err := greet(conn, fromParley, e.token); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}

	eof := make(chan struct{})
	go func() {
		if _, err := io.Copy(conn, stdin); err != nil {
			return // the connection broke, which the other direction notices too
		}
		close(eof)
		// Parley may still have answers to send; it ends the connection when it has
		// seen this end.
		_ = conn.CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	}()
	_, err = io.Copy(stdout, fromParley)
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

// greet shows the token and waits to be let in.
func greet(conn *net.UnixConn, r *bufio.Reader, token secret) error {
	// Longer than Parley takes to decide, so that its reason arrives.
	if err := conn.SetDeadline(time.Now().Add(2 * helloTimeout)); err != nil {
		return err
	}
	if err := writeLine(conn, hello{Token: token.reveal()}); err != nil {
		return fmt.Errorf("no welcome from Parley: %w", err)
	}
	line, err := readLine(r, maxHello)
	if err != nil {
		return fmt.Errorf("no welcome from Parley: %w", err)
	}
	var w welcome
	if err := json.Unmarshal(line, &w); err != nil {
		return fmt.Errorf("no welcome from Parley: %w", err)
	}
	if !w.OK {
		return fmt.Errorf("refused by Parley: %s", w.Reason)
	}
	return conn.SetDeadline(time.Time{})
}
