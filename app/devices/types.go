package devices

// The roles of a device.
const (
	// RoleAll may do everything except pair and remove devices.
	RoleAll = "all"
	// RoleAnswer may read, and answer requests.
	RoleAnswer = "answer"
	// RoleLook may only read.
	RoleLook = "look"
)

// PairParams describes the next device.
type PairParams struct {
	// Name is what people call it, 1 to 60 characters.
	Name string `json:"name"`
	// Role is "all", "answer" or "look".
	Role string `json:"role"`
}

// Pairing admits one device, once.
type Pairing struct {
	// Code is opened on the device after the gateway's address: "#token=" and the code.
	Code string `json:"code"`
	// ExpiresAt is when it expires, in Unix milliseconds.
	ExpiresAt int64 `json:"expiresAt"`
}

// Device is a paired device.
type Device struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Role is "all", "answer" or "look".
	Role string `json:"role"`
	// CreatedAt and UsedAt are in Unix milliseconds; UsedAt may be up to a minute old.
	CreatedAt int64 `json:"createdAt"`
	UsedAt    int64 `json:"usedAt"`
	// Current is true for the calling device.
	Current bool `json:"current"`
}

// DeviceList has all devices, newest first.
type DeviceList struct {
	Devices []Device `json:"devices"`
	// URL is the page's address for browsers, "" for none; Problem is why it is missing although
	// there should be one.
	URL     string `json:"url"`
	Problem string `json:"problem"`
}

// DeviceRef names a device.
type DeviceRef struct {
	ID string `json:"id"`
}
