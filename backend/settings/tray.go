package settings

import "fmt"

// Tray says how Parley stays at hand while its window is not open.
type Tray struct {
	// StartAtLogin starts Parley hidden when the user logs in.
	StartAtLogin bool `json:"startAtLogin"`
	// ShowTray shows an icon with a menu where the desktop has a place for such.
	ShowTray bool `json:"showTray"`
	// CloseToTray has Parley continue without its window when that is closed, while the
	// icon is there.
	CloseToTray bool `json:"closeToTray"`
	// CloseWhileWorking is what closing the window does while work continues and nothing
	// keeps Parley: "ask", "background" or "quit".
	CloseWhileWorking string `json:"closeWhileWorking"`
	// DoNotDisturbUntil is the time in milliseconds until which nobody is told of
	// anything: 0 is off, -1 until it is switched off.
	DoNotDisturbUntil int64 `json:"doNotDisturbUntil"`
}

// Disturb says whether a user may be told of something at a time, in milliseconds.
func (t Tray) Disturb(now int64) bool {
	return t.DoNotDisturbUntil >= 0 && t.DoNotDisturbUntil <= now
}

// Closings is what closing the window may do while work continues.
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
