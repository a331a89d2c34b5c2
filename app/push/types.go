package push

// WaySetParams creates or changes an address.
type WaySetParams struct {
	// ID is the address to change, "" for a new one.
	ID string `json:"id,omitempty"`
	// Kind is "webhook" or "ntfy".
	Kind string `json:"kind"`
	// URL is the address. That of an ntfy topic ends with its name.
	URL string `json:"url"`
	// Template is the JSON for a webhook, with placeholders such as {{title}}; "" is the default.
	Template string `json:"template,omitempty"`
	// Events are the events to send: "question", "done", "failed", "limit".
	Events []string `json:"events"`
	// Folder limits it to sessions in a folder, "" for any.
	Folder string `json:"folder,omitempty"`
	// QuietFrom is the time of day, such as "22:00", from which nothing is sent until
	// QuietTo. Both are "" for never.
	QuietFrom string `json:"quietFrom,omitempty"`
	// QuietTo is when the quiet hours end.
	QuietTo string `json:"quietTo,omitempty"`
	// Away limits it to times when nobody is looking at Parley.
	Away bool `json:"away,omitempty"`
	// Secret is the key that signs webhook calls or the token of an ntfy server; "" removes it,
	// null keeps it.
	Secret *string `json:"secret,omitempty"`
}

// WayRef names an address.
type WayRef struct {
	// ID is the address's id from way.list.
	ID string `json:"id"`
}

// Way is an address for notifications.
type Way struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	URL      string   `json:"url"`
	Template string   `json:"template"`
	Events   []string `json:"events"`
	Folder   string   `json:"folder"`
	// QuietFrom and QuietTo are "15:04", both "" for no quiet hours.
	QuietFrom string `json:"quietFrom"`
	QuietTo   string `json:"quietTo"`
	Away      bool   `json:"away"`
	// Secret reports that there is a key or token. It is never returned.
	Secret bool `json:"secret"`
	// Waiting is how many notifications are still to be sent, Lost how many were dropped since
	// Parley started.
	Waiting int `json:"waiting"`
	Lost    int `json:"lost"`
	// SentAt is when the last one was delivered since Parley started, in milliseconds since 1970, 0
	// for never.
	SentAt int64 `json:"sentAt"`
	// Problem is why the last delivery failed, "" if it did not. Stopped is true if nothing is sent
	// until a test succeeds.
	Problem string `json:"problem"`
	Stopped bool   `json:"stopped"`
}

// WayList has the addresses for notifications.
type WayList struct {
	Ways []Way `json:"ways"`
}
