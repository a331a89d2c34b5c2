package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	busName   = "org.freedesktop.Notifications"
	busPath   = "/org/freedesktop/Notifications"
	callLimit = 3 * time.Second
	// maxShown is how many of our notifications are shown at a time; the oldest is
	// removed.
	maxShown = 16
	// buttonKey is the action of a note's button.
	buttonKey = "open"
)

// Notification is one notification.
type Notification struct {
	// Key is the session's id: a newer note with the same key replaces the older
	// one.
	Key string
	// Title and Body are plain text.
	Title, Body string
	// Urgent asks the desktop to keep it until the user has seen it.
	Urgent bool
	// Button is the label of a button that does what a click on the note does, "" for
	// none: some desktops don't show that the note can be clicked, which matters if a
	// user must act.
	Button string
	// Lasting leaves it on the desktop when Parley ends; a click on it then opens
	// nothing.
	Lasting bool
}

// BusConfig configures the connection to the desktop. All fields are required.
type BusConfig struct {
	// Address is the session bus's address, "" for the default.
	Address string
	// Opened is called when a user clicked the note with a key. It must return
	// quickly.
	Opened func(key string)
	Log    *slog.Logger
}

// Bus shows notifications on the desktop. Its methods may be called from any
// goroutine.
type Bus struct {
	cfg  BusConfig
	conn *dbus.Conn
	done chan struct{}
	// markup means that the desktop interprets the body as markup.
	markup bool

	mu sync.Mutex
	// ids are the desktop's ids of shown notes, order their keys, oldest first.
	ids   map[string]uint32
	order []string
}

// OpenBus connects to the desktop. It fails if there is no notification
// service.
func OpenBus(ctx context.Context, cfg BusConfig) (*Bus, error) {
	conn, err := connect(cfg.Address)
	if err != nil {
		return nil, fmt.Errorf("connect to the session's bus: %w", err)
	}
	b := &Bus{cfg: cfg, conn: conn, done: make(chan struct{}), ids: map[string]uint32{}}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var can []string
	if err := b.object().CallWithContext(ctx, busName+".GetCapabilities", 0).Store(&can); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("ask for the desktop's notifications: %w", err)
	}
	for _, c := range can {
		b.markup = b.markup || c == "body-markup"
	}
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(busName), dbus.WithMatchObjectPath(busPath)); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("listen to the desktop's notifications: %w", err)
	}
	signals := make(chan *dbus.Signal, 64)
	conn.Signal(signals)
	go b.hear(signals)
	return b, nil
}

func connect(address string) (*dbus.Conn, error) {
	if address != "" {
		return dbus.Connect(address)
	}
	// The usual call starts a bus if there is none, which outlives the caller.
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return nil, err
	}
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (b *Bus) object() dbus.BusObject { return b.conn.Object(busName, busPath) }

// Show shows a note, replacing the one with its key.
func (b *Bus) Show(ctx context.Context, n Notification) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	body := n.Body
	if b.markup {
		body = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body)
	}
	hints := map[string]dbus.Variant{
		"desktop-entry": dbus.MakeVariant("parley"),
		"urgency":       dbus.MakeVariant(byte(1)),
	}
	if n.Urgent {
		hints["urgency"] = dbus.MakeVariant(byte(2))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.order) >= maxShown && b.ids[n.Key] == 0 {
		b.close(ctx, b.order[0])
	}
	var id uint32
	// "default" is the action of a click on the note.
	actions := []string{"default", "Open"}
	if n.Button != "" {
		actions = append(actions, buttonKey, n.Button)
	}
	if n.Lasting {
		actions = []string{}
	}
	err := b.object().CallWithContext(ctx, busName+".Notify", 0,
		"Parley", b.ids[n.Key], "parley", n.Title, body, actions, hints, int32(-1)).Store(&id)
	if err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	b.forget(n.Key)
	if n.Lasting {
		return nil
	}
	b.ids[n.Key] = id
	b.order = append(b.order, n.Key)
	return nil
}

// Withdraw removes the note with a key, if it is still shown.
func (b *Bus) Withdraw(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.close(ctx, key)
}

// close closes a note; b.mu is held.
func (b *Bus) close(ctx context.Context, key string) {
	id, ok := b.ids[key]
	if !ok {
		return
	}
	b.forget(key)
	// Closing one that is already gone is an error with the intended effect.
	if err := b.object().CallWithContext(ctx, busName+".CloseNotification", 0, id).Err; err != nil {
		b.cfg.Log.Debug("Notification was already closed", "err", err)
	}
}

// forget drops a note; b.mu is held.
func (b *Bus) forget(key string) {
	delete(b.ids, key)
	for i, k := range b.order {
		if k == key {
			b.order = append(b.order[:i], b.order[i+1:]...)
			return
		}
	}
}

// keyOf returns the key of the note with the desktop's id; gone drops it.
func (b *Bus) keyOf(id uint32, gone bool) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, known := range b.ids {
		if known == id {
			if gone {
				b.forget(key)
			}
			return key, true
		}
	}
	return "", false
}

// hear handles the desktop's signals. Dismissing a note has no effect.
func (b *Bus) hear(signals <-chan *dbus.Signal) {
	defer close(b.done)
	for s := range signals {
		if len(s.Body) < 2 {
			continue
		}
		id, ok := s.Body[0].(uint32)
		if !ok {
			continue
		}
		switch s.Name {
		case busName + ".ActionInvoked":
			if key, ours := b.keyOf(id, true); ours && (s.Body[1] == "default" || s.Body[1] == buttonKey) {
				b.cfg.Opened(key)
			}
		case busName + ".NotificationClosed":
			b.keyOf(id, true)
		}
	}
}

// Close removes every note and disconnects.
func (b *Bus) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	b.mu.Lock()
	for len(b.order) > 0 {
		b.close(ctx, b.order[0])
	}
	b.mu.Unlock()
	err := b.conn.Close()
	<-b.done
	return err
}
