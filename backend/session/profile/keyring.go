package profile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"parley/backend/fault"
)

// service is the name of Parley's entries in the keyring.
const service = "parley"

// callLimit bounds one keyring call. A locked keyring prompts the user and
// waits; a user who takes longer must try again.
const callLimit = 30 * time.Second

// account names an entry.
func account(id, name string) string { return id + "/" + name }

// Keyring is the system's keyring: Keychain, the Credential Manager, or any
// org.freedesktop.secrets service. The zero value is ready. It implements
// [Secrets].
type Keyring struct {
	mu   sync.Mutex
	call chan struct{} // closed when the running call ends; nil if none is running
	// worked is set once a call succeeded.
	worked bool
}

var _ Secrets = (*Keyring)(nil)

// Get implements [Secrets].
func (k *Keyring) Get(ctx context.Context, id, name string) (string, error) {
	return k.do(ctx, func() (string, error) { return keyring.Get(service, account(id, name)) })
}

// Set implements [Secrets].
func (k *Keyring) Set(ctx context.Context, id, name, value string) error {
	_, err := k.do(ctx, func() (string, error) { return "", keyring.Set(service, account(id, name), value) })
	return err
}

// Delete implements [Secrets].
func (k *Keyring) Delete(ctx context.Context, id, name string) error {
	_, err := k.do(ctx, func() (string, error) { return "", keyring.Delete(service, account(id, name)) })
	if errors.Is(err, ErrNoSecret) {
		return nil
	}
	return err
}

// Check implements [Secrets]. It skips a keyring that has already worked.
func (k *Keyring) Check(ctx context.Context) error {
	k.mu.Lock()
	worked := k.worked
	k.mu.Unlock()
	if worked {
		return nil
	}
	if _, err := k.Get(ctx, "check", "check"); err != nil && !errors.Is(err, ErrNoSecret) {
		return err
	}
	return nil
}

// do runs one call. Calls can't be canceled, so one that outlives its caller
// continues, and others are refused until it ends.
func (k *Keyring) do(ctx context.Context, call func() (string, error)) (string, error) {
	if err := reachable(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	done, err := k.begin(ctx)
	if err != nil {
		return "", err
	}
	type outcome struct {
		value string
		err   error
	}
	result := make(chan outcome, 1)
	go func() {
		defer k.end(done)
		value, err := guarded(call)
		result <- outcome{value, err}
	}()
	select {
	case r := <-result:
		return r.value, k.judge(r.err)
	case <-ctx.Done():
		return "", silent(ctx)
	}
}

// begin waits until no call is running, and registers one.
func (k *Keyring) begin(ctx context.Context) (chan struct{}, error) {
	for {
		k.mu.Lock()
		running := k.call
		if running == nil {
			k.call = make(chan struct{})
			defer k.mu.Unlock()
			return k.call, nil
		}
		k.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return nil, silent(ctx)
		}
	}
}

func (k *Keyring) end(done chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.call = nil
	close(done)
}

// Close waits for the running call, if any, as long as ctx allows.
func (k *Keyring) Close(ctx context.Context) error {
	k.mu.Lock()
	running := k.call
	k.mu.Unlock()
	if running == nil {
		return nil
	}
	select {
	case <-running:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a call of the keyring is still waiting: %w", ctx.Err())
	}
}

// guarded converts a panic of the library to an error: a bus that disconnects
// midway causes one.
func guarded(call func() (string, error)) (value string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("keyring: %v", v)
		}
	}()
	return call()
}

// judge describes a system error. The system's text may contain anything, so it
// is only the cause.
func (k *Keyring) judge(err error) error {
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		err = ErrNoSecret
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return fault.Wrap(err, fault.Invalid, "The secret is too long for this system's keyring.")
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "The system's keyring cannot be used. Unlock it, or start one such as GNOME Keyring or KWallet, and try again.")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.worked = true
	return err
}

// silent is the error of a call that the keyring didn't answer in time.
func silent(ctx context.Context) error {
	return fault.Wrap(ctx.Err(), fault.Unavailable, "The system's keyring does not answer. It may be waiting to be unlocked: look for its window, then try again.")
}

// reachable returns why there is no keyring to call. Without a bus the library
// would start one that nobody owns.
func reachable() error {
	switch runtime.GOOS {
	case "windows", "darwin":
		return nil
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && !strings.HasPrefix(address, "autolaunch:") {
		return nil
	}
	dir := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return nil
		}
	}
	return fault.New(fault.Unavailable, "There is no keyring here: Parley runs without a desktop session (no D-Bus).")
}
