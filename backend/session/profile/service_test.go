//go:build linux

package profile_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"parley/backend/fault"
	"parley/backend/need"
	"parley/backend/session/profile"
)

// The paths of a secret service, according to the specification.
const (
	servicePath    = dbus.ObjectPath("/org/freedesktop/secrets")
	collectionPath = dbus.ObjectPath("/org/freedesktop/secrets/aliases/default")
	sessionPath    = dbus.ObjectPath("/org/freedesktop/secrets/session/1")
	promptPath     = dbus.ObjectPath("/org/freedesktop/secrets/prompt/1")
	noPrompt       = dbus.ObjectPath("/")
	interfaces     = "org.freedesktop.Secret."
)

// keeper is an in-memory secret service.
type keeper struct {
	conn *dbus.Conn

	mu     sync.Mutex
	locked bool
	// asked is closed when the user is asked to unlock.
	asked chan struct{}
	items map[dbus.ObjectPath]*item
	last  int
}

type item struct {
	keeper     *keeper
	path       dbus.ObjectPath
	attributes map[string]string
	value      []byte
}

// kept is a secret on the bus.
type kept struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// newKeeper starts a bus with the service on it, and makes it the session bus.
func newKeeper(t *testing.T) *keeper {
	t.Helper()
	daemon := need.Program(t, "dbus-daemon", "dbus-daemon")
	address := "unix:path=" + filepath.Join(t.TempDir(), "bus")
	cmd := exec.Command(daemon, "--session", "--nofork", "--nosyslog", "--print-address=1", "--address="+address)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 1)); err != nil { // it is ready
		need.Missing(t, "dbus-daemon does not start here")
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	k := &keeper{conn: conn, asked: make(chan struct{}), items: map[dbus.ObjectPath]*item{}}
	for path, name := range map[dbus.ObjectPath]string{
		servicePath: "Service", collectionPath: "Collection", sessionPath: "Session", promptPath: "Prompt",
	} {
		if err := conn.Export(k, path, interfaces+name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	onBus(t, address)
	return k
}

func (k *keeper) OpenSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), sessionPath, nil
}

func (k *keeper) Close() *dbus.Error { return nil }

func (k *keeper) Unlock(objects []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.locked {
		return []dbus.ObjectPath{}, promptPath, nil
	}
	return objects, noPrompt, nil
}

// Prompt asks the user, who takes a while.
func (k *keeper) Prompt(string) *dbus.Error {
	close(k.asked)
	return nil
}

// unlock is the user's answer.
func (k *keeper) unlock() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.locked = false
	return k.conn.Emit(promptPath, interfaces+"Prompt.Completed", false, dbus.MakeVariant([]dbus.ObjectPath{collectionPath}))
}

func (k *keeper) SearchItems(attributes map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := []dbus.ObjectPath{}
	for path, one := range k.items {
		if one.attributes["username"] == attributes["username"] && one.attributes["service"] == attributes["service"] {
			found = append(found, path)
		}
	}
	return found, nil
}

func (k *keeper) CreateItem(properties map[string]dbus.Variant, secret kept, _ bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	attributes, _ := properties[interfaces+"Item.Attributes"].Value().(map[string]string)
	if found, _ := k.SearchItems(attributes); len(found) == 1 {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.items[found[0]].value = secret.Value
		return found[0], noPrompt, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	one := &item{k, collectionPath + dbus.ObjectPath("/"+strconv.Itoa(k.last)), attributes, secret.Value}
	if err := k.conn.Export(one, one.path, interfaces+"Item"); err != nil {
		return "", noPrompt, dbus.MakeFailedError(err)
	}
	k.items[one.path] = one
	return one.path, noPrompt, nil
}

func (i *item) GetSecret(session dbus.ObjectPath) (kept, *dbus.Error) {
	i.keeper.mu.Lock()
	defer i.keeper.mu.Unlock()
	return kept{session, []byte{}, i.value, "text/plain"}, nil
}

func (i *item) Delete() (dbus.ObjectPath, *dbus.Error) {
	i.keeper.mu.Lock()
	defer i.keeper.mu.Unlock()
	delete(i.keeper.items, i.path)
	return noPrompt, nil
}

func TestKeyring(t *testing.T) {
	newKeeper(t)
	k := &profile.Keyring{}
	if err := k.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	get := func(id, name, want string) {
		t.Helper()
		got, err := k.Get(t.Context(), id, name)
		if want == "" && errors.Is(err, profile.ErrNoSecret) {
			return
		}
		if err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	get("one", "A", "")
	for _, value := range []string{"first", "second, with ü and spaces"} {
		if err := k.Set(t.Context(), "one", "A", value); err != nil {
			t.Fatal(err)
		}
		get("one", "A", value)
	}
	get("two", "A", "")
	get("one", "B", "")
	for range 2 {
		if err := k.Delete(t.Context(), "one", "A"); err != nil {
			t.Error(err)
		}
	}
	get("one", "A", "")
	if err := k.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A locked keyring asks the user in its own window. A caller that can't wait gets
// an error; once it is unlocked everything works.
func TestKeyringLocked(t *testing.T) {
	service := newKeeper(t)
	k := &profile.Keyring{}
	if err := k.Set(t.Context(), "one", "A", "hush"); err != nil {
		t.Fatal(err)
	}
	service.mu.Lock()
	service.locked = true
	service.mu.Unlock()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := k.Get(ctx, "one", "A")
		cancel()
		refused(t, err, fault.Unavailable, "waiting to be unlocked")
		if strings.Contains(err.Error(), "hush") {
			t.Error("the error has the secret")
		}
	}
	<-service.asked // once: a second time would panic
	if err := service.unlock(); err != nil {
		t.Fatal(err)
	}
	if err := k.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Get(t.Context(), "one", "A"); err != nil || got != "hush" {
		t.Errorf("%q, %v", got, err)
	}
}
