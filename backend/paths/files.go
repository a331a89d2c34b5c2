package paths

import "path/filepath"

// HeartbeatsFile is the file of heartbeats, in the data folder.
const HeartbeatsFile = "heartbeats.yaml"

// ChatFile is the file with the chat's settings, in the data folder.
const ChatFile = "chat.json"

// The files of rooms, in the data folder: those of this machine, and a copy of those on
// a server.
const RoomsFile, RoomsNATSFile = "rooms.db", "rooms-nats.db"

// MemoryFolder is the folder of memories, in the data folder.
const MemoryFolder = "memory"

// TerminalsFile is the file with the watched terminals, in the data folder.
const TerminalsFile = "terminals.json"

// RelayFolder is the folder of the program that the CLI spawns, in the data folder.
const RelayFolder = "relay"

// UpdateFolder is the folder for updates, in the data folder.
const UpdateFolder = "update"

// SettingsFile is the file of the settings, in the data folder.
const SettingsFile = "settings.json"

// StyleFile is the name of the user's own style sheet, in the data folder.
const StyleFile = "theme.css"

// TourFolder is the folder of the tour and of demo sessions, in the data folder.
const TourFolder = "rehearsal"

// TourConfig is the CLI's configuration folder in demo sessions, given Parley's data folder.
func TourConfig(data string) string { return filepath.Join(data, TourFolder, "config") }
