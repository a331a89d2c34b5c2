package paths

// HeartbeatsFile is where heartbeats are written, in the data folder.
const HeartbeatsFile = "heartbeats.yaml"

// ChatFile is where it is kept what was decided about the chat, in the data folder.
const ChatFile = "chat.json"

// Where rooms are kept, in the data folder: those of this machine, and a copy of those on
// a server.
const RoomsFile, RoomsNATSFile = "rooms.db", "rooms-nats.db"

// MemoryFolder is where memories are, in the data folder.
const MemoryFolder = "memory"

// TerminalsFile is where it is kept which terminals are watched, in the data folder.
const TerminalsFile = "terminals.json"

// RelayFolder is where in the data folder the program lies that the CLI spawns.
const RelayFolder = "relay"

// UpdateFolder is where in the data folder it is kept what is known of updates.
const UpdateFolder = "update"

// SettingsFile is where the settings are, in the data folder.
const SettingsFile = "settings.json"

// StyleFile is the name of the user's own style sheet, in the data folder.
const StyleFile = "theme.css"
