// Command traytest is a desktop's panel for tests, without a screen: it has the place
// for icons that Parley's tray looks for, and sees and clicks what is in it as a panel
// does, over the session's bus.
//
//	traytest panel            has the place until it is ended, and that for notifications;
//	                          says "ready", and "note" with the title of each
//	traytest notes            has the place for notifications only
//	traytest show             prints the icon, the tooltip and the menu as JSON
//	traytest click LABEL...   clicks the line of the menu that begins so, in submenus
//	traytest activate         clicks the icon
//	traytest press ACTION     presses a button of the newest notification
//
// Those that see and click the icon are for the one tray that there is on the bus. It starts no goroutine.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	itemName    = "org.kde.StatusNotifierItem"
	itemPath    = "/StatusNotifierItem"
	menuName    = "com.canonical.dbusmenu"
	menuPath    = itemPath + "/menu"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "traytest:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	if len(args) == 0 {
		return errors.New("say what to do")
	}
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	switch args[0] {
	case "notes":
		return stay(conn, showNotes)
	case "press":
		if len(args) < 2 {
			return errors.New("say what to press")
		}
		return conn.Object(notesName, notesPath).Call(notesName+".Press", 0, args[1]).Err
	case "panel":
		return stay(conn, showNotes, showIcons)
	}
	t, err := find(conn)
	if err != nil {
		return err
	}
	switch args[0] {
	case "show":
		return t.show()
	case "click":
		return t.click(args[1:])
	case "activate":
		return t.conn.Object(t.name, itemPath).Call(itemName+".Activate", 0, int32(0), int32(0)).Err
	}
	return fmt.Errorf("%q is nothing that can be done", args[0])
}

// place has the methods of the desktop's tray.
type place struct{}

// RegisterStatusNotifierItem is called by an icon.
func (place) RegisterStatusNotifierItem(string) *dbus.Error { return nil }

const (
	notesName = "org.freedesktop.Notifications"
	notesPath = "/org/freedesktop/Notifications"
)

// notes has the methods of a desktop's notification server. The bus may call them concurrently, so the
// count is protected by a lock.
type notes struct {
	conn *dbus.Conn

	mu   sync.Mutex
	last uint32
}

// GetCapabilities is called before anything is shown.
func (*notes) GetCapabilities() ([]string, *dbus.Error) { return []string{"body", "actions"}, nil }

// Notify shows a notification.
func (n *notes) Notify(_ string, replaces uint32, _, title, _ string, actions []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fmt.Println("note", title)
	for i := 2; i+1 < len(actions); i += 2 { // the first is the notification itself
		fmt.Println("button", actions[i], actions[i+1])
	}
	if replaces != 0 {
		return replaces, nil
	}
	n.last++
	return n.last, nil
}

// CloseNotification closes one.
func (*notes) CloseNotification(uint32) *dbus.Error { return nil }

// Press is for tests only: a user presses a button of the newest notification.
func (n *notes) Press(action string) *dbus.Error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.conn.Emit(notesPath, notesName+".ActionInvoked", n.last, action); err != nil {
		return dbus.MakeFailedError(err)
	}
	return nil
}

// stay owns names on the bus until the connection ends.
func stay(conn *dbus.Conn, places ...func(*dbus.Conn) error) error {
	for _, take := range places {
		if err := take(conn); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	<-conn.Context().Done()
	return nil
}

func showNotes(conn *dbus.Conn) error {
	if err := conn.Export(&notes{conn: conn}, notesPath, notesName); err != nil {
		return err
	}
	return own(conn, notesName)
}

func showIcons(conn *dbus.Conn) error {
	if _, err := prop.Export(conn, watcherPath, prop.Map{watcherName: {"IsStatusNotifierHostRegistered": {Value: true}}}); err != nil {
		return err
	}
	if err := conn.Export(place{}, watcherPath, watcherName); err != nil {
		return err
	}
	return own(conn, watcherName)
}

func own(conn *dbus.Conn, name string) error {
	if r, err := conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil || r != dbus.RequestNameReplyPrimaryOwner {
		return fmt.Errorf("take the name %s: %v %w", name, r, err)
	}
	return nil
}

// tray is the tray on the bus.
type tray struct {
	conn *dbus.Conn
	name string
}

func find(conn *dbus.Conn) (tray, error) {
	var names []string
	if err := conn.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		return tray{}, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, itemName+"-") {
			return tray{conn, name}, nil
		}
	}
	return tray{}, errors.New("there is no tray on the bus")
}

// line is one of the menu.
type line struct {
	id      int32
	Label   string `json:"label"`
	Enabled bool   `json:"enabled"`
	Checked bool   `json:"checked"`
	Lines   []line `json:"lines,omitempty"`
}

type layout struct {
	ID       int32
	Props    map[string]dbus.Variant
	Children []dbus.Variant
}

func (t tray) menu() ([]line, error) {
	var revision uint32
	var root layout
	err := t.conn.Object(t.name, menuPath).Call(menuName+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root)
	if err != nil {
		return nil, err
	}
	return lines(root)
}

func lines(of layout) ([]line, error) {
	all := []line{}
	for _, child := range of.Children {
		var l layout
		if err := dbus.Store([]any{child.Value()}, &l); err != nil {
			return nil, err
		}
		if v, ok := l.Props["visible"]; ok && v.Value() == false || l.Props["type"].Value() == "separator" {
			continue
		}
		sub, err := lines(l)
		if err != nil {
			return nil, err
		}
		label, _ := l.Props["label"].Value().(string)
		all = append(all, line{
			id: l.ID, Label: label, Enabled: l.Props["enabled"].Value() == true, Checked: l.Props["toggle-state"].Value() == int32(1), Lines: sub,
		})
	}
	return all, nil
}

func (t tray) show() error {
	tip, err := t.conn.Object(t.name, itemPath).GetProperty(itemName + ".ToolTip")
	if err != nil {
		return err
	}
	icon, err := t.conn.Object(t.name, itemPath).GetProperty(itemName + ".IconPixmap")
	if err != nil {
		return err
	}
	menu, err := t.menu()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Append(nil, icon.Value()))
	words, ok := tip.Value().([]any)
	if !ok || len(words) != 4 {
		return fmt.Errorf("the tooltip is %v", tip)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"icon": hex.EncodeToString(sum[:8]), "tip": words[2], "menu": menu})
}

func (t tray) click(labels []string) error {
	menu, err := t.menu()
	if err != nil {
		return err
	}
	var at *line
	for _, label := range labels {
		at = nil
		for i := range menu {
			if strings.HasPrefix(menu[i].Label, label) {
				at, menu = &menu[i], menu[i].Lines
				break
			}
		}
		if at == nil {
			return fmt.Errorf("the menu has no %q", label)
		}
	}
	if at == nil {
		return errors.New("say what to click")
	}
	return t.conn.Object(t.name, menuPath).Call(menuName+".Event", 0, at.id, "clicked", dbus.MakeVariant(int32(0)), uint32(0)).Err
}
