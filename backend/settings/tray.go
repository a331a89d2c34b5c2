package settings

import "fmt"

// Tray defines how Parley stays available while its window is closed.
type Tray struct {
	// StartAtLogin starts Parley hidden when the user logs in.
	StartAtLogin bool `json:"startAtLogin"`
	// ShowTray shows an icon with a menu if the desktop supports it.
	ShowTray bool `json:"showTray"`
	// CloseToTray keeps Parley running when its window is closed, while the
	// icon is shown.
	CloseToTray bool `json:"closeToTray"`
	// CloseWhileWorking is what closing the window does while sessions work and nothing
	// else keeps Parley running: "ask", "background" or "quit".
	CloseWhileWorking string `json:"closeWhileWorking"`
	// DoNotDisturbUntil is the time in milliseconds until which notifications are
	// off: 0 is off, -1 until it is switched off.
	DoNotDisturbUntil int64 `json:"doNotDisturbUntil"`
}

// Disturb reports whether notifications are allowed at a time, in milliseconds.
func (t Tray) Disturb(now int64) bool {
	return t.DoNotDisturbUntil >= 0 && t.DoNotDisturbUntil <= now
}

// Closings are the values of CloseWhileWorking.
func Closings() []string { return []string{"ask", "background", "quit"} }

func trayFields() []field {
	return []field{
		{"startAtLogin", func(v *Values) any { return &v.StartAtLogin }, nothing},
		{"showTray", func(v *Values) any { return &v.ShowTray }, nothing},
		{"closeToTray", func(v *Values) any { return &v.CloseToTray }, nothing},
		{"closeWhileWorking", func(v *Values) any { return &v.CloseWhileWorking },
			func(v Values) string { return oneOf(v.CloseWhileWorking, Closings()...) }},
		{"doNotDisturbUntil", func(v *Values) any { return &v.DoNotDisturbUntil },
			func(v Values) string { return problemOfUntil(v.DoNotDisturbUntil) }},
	}
}

func problemOfUntil(at int64) string {
	if at < -1 {
		return fmt.Sprintf("must be a time, 0 or -1, not %d", at)
	}
	return ""
}
