package devices

// The roles of a device.
const (
	// RoleAll may do everything but pair and remove devices.
	RoleAll = "all"
	// RoleAnswer may look, and answer questions.
	RoleAnswer = "answer"
	// RoleLook may look only.
	RoleLook = "look"
)

// PairParams say what the next device is.
type PairParams struct {
	// Name is what people call it, 1 to 60 characters.
	Name string `json:"name"`
	// Role is "all", "answer" or "look".
	Role string `json:"role"`
}

// Pairing is what lets one device in, once.
type Pairing struct {
	// Code is opened on the device behind the gateway's address: "#token=" and the code.
	Code string `json:"code"`
	// ExpiresAt is when it is good no longer, in Unix milliseconds.
	ExpiresAt int64 `json:"expiresAt"`
}

// Device is one that was paired.
type Device struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Role is "all", "answer" or "look".
	Role string `json:"role"`
	// CreatedAt and UsedAt are in Unix milliseconds; UsedAt is as of a minute ago at most.
	CreatedAt int64 `json:"createdAt"`
	UsedAt    int64 `json:"usedAt"`
	// Current is true of the one that asks.
	Current bool `json:"current"`
}

// DeviceList holds all devices, the newest first.
type DeviceList struct {
	Devices []Device `json:"devices"`
	// URL is the address of the page for browsers, "" for none; Problem says why there is
	// none although there should be.
	URL     string `json:"url"`
	Problem string `json:"problem"`
}

// DeviceRef names a device.
type DeviceRef struct {
	ID string `json:"id"`
}
