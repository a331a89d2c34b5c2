//go:build desktop

package desktop

import (
	"context"
	"encoding/json"

	"github.com/godbus/dbus/v5"
	"github.com/wailsapp/wails/v2/pkg/options"
)

// Raise asks the Parley with a window for this data folder to raise it and show handed, or with front false only
// whether it exists, and reports whether one responded.
func Raise(ctx context.Context, dataDir string, front bool, handed []string) bool {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer conn.Close()
	message, err := json.Marshal(options.SecondInstanceData{Args: handed})
	if err != nil {
		return false
	}
	// The names under which Wails listens for a second instance.
	id := "wails_app_" + instanceID(dataDir)
	name := "org." + id + ".SingleInstance"
	if !front {
		there := false
		err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, name).Store(&there)
		return err == nil && there
	}
	path := dbus.ObjectPath("/org/" + id + "/SingleInstance")
	return conn.Object(name, path).CallWithContext(ctx, name+".SendMessage", dbus.FlagNoAutoStart, string(message)).Err == nil
}
