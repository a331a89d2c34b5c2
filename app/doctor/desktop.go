package doctor

import (
	"context"
	"strings"
)

// desktopChecks are the requirements of the window and the tray icon.
func desktopChecks() []check {
	return []check{
		{"desktop.screen", "The window needs a display; parley serve doesn't.", func(_ context.Context, m *Machine) finding {
			switch {
			case m.OS != "linux":
				return left("not relevant here")
			case m.get("WAYLAND_DISPLAY") == "" && m.get("DISPLAY") == "":
				return found(Note, "Use parley serve and a browser.", "no display")
			}
			return fine("there is one")
		}, nil},
		{"desktop.keys", "On an X server, every program can type into every window.", func(_ context.Context, m *Machine) finding {
			switch {
			case m.get("WAYLAND_DISPLAY") != "":
				return fine("Wayland isolates programs")
			case m.get("DISPLAY") != "":
				return found(Note, "Use a Wayland session if your desktop has one.", "the display is an X server")
			}
			return left("no display")
		}, nil},
		{"desktop.bus", "The tray icon, notifications, and keyring need D-Bus.", func(ctx context.Context, m *Machine) finding {
			if m.OS != "linux" {
				return left("not relevant here")
			}
			if _, err := m.onBus(ctx, "org.freedesktop.DBus"); err != nil {
				return found(Note, "Start Parley from your desktop, or with dbus-run-session.", "not reachable: %v", err)
			}
			return fine("available")
		}, nil},
		onBus("desktop.icon", "The tray icon gives access to Parley when its window is closed.", "org.kde.StatusNotifierWatcher",
			"On GNOME, install the AppIndicator extension."),
		onBus("desktop.notices", "Notifications tell you when a session is waiting for you.", "org.freedesktop.Notifications", "Start a notification service, such as dunst."),
		onBus("desktop.portal", "The desktop portal tells the window whether to use a dark theme.", "org.freedesktop.portal.Desktop", "Install xdg-desktop-portal."),
		{"desktop.keyring", "Secrets are stored only in the system keyring.", func(ctx context.Context, m *Machine) finding {
			if err := m.Keyring(ctx); err != nil {
				return found(Note, "Unlock or install one (gnome-keyring, KWallet), or set PARLEY_SECRET_… variables.", "%s", sentence(err))
			}
			return fine("available")
		}, nil},
		{"desktop.gpu", "Without a working GPU, the window draws slowly or not at all.", func(_ context.Context, m *Machine) finding {
			switch {
			case m.OS != "linux" || m.get("WAYLAND_DISPLAY") == "" && m.get("DISPLAY") == "":
				return left("no window")
			case m.get("PARLEY_GPU") == "off":
				return fine("turned off")
			}
			if _, err := m.Stat("/dev/dri"); err != nil {
				return found(Note, "If the window doesn't draw correctly, start it with: PARLEY_GPU=off parley", "no GPU that programs can use")
			}
			return fine("there is one")
		}, nil},
		{"desktop.nvidia", "WebKit needs a setting to work with NVIDIA's driver.", func(_ context.Context, m *Machine) finding {
			text, err := m.Read("/proc/driver/nvidia/version")
			switch {
			case err != nil:
				return fine("driver not installed")
			case m.get("WEBKIT_DISABLE_DMABUF_RENDERER") == "0":
				return found(Warning, "Unset WEBKIT_DISABLE_DMABUF_RENDERER. Parley sets it when needed.", "the setting is turned off")
			}
			first, _, _ := strings.Cut(string(text), "\n")
			return fine("%.100s; Parley sets it", first)
		}, nil},
	}
}

// onBus checks for a name on D-Bus.
func onBus(id, meaning, name, todo string) check {
	return check{id, meaning, func(ctx context.Context, m *Machine) finding {
		if m.OS != "linux" {
			return left("not relevant here")
		}
		switch there, err := m.onBus(ctx, name); {
		case err != nil:
			return left("D-Bus isn't reachable")
		case !there:
			return found(Note, todo, "no program provides %s", name)
		}
		return fine("%s", name)
	}, nil}
}
