package push

// WaySetParams make an address, or change one.
type WaySetParams struct {
	// ID is that of the address to change, "" for a new one.
	ID string `json:"id,omitempty"`
	// Kind is "webhook" or "ntfy".
	Kind string `json:"kind"`
	// URL is the address. That of an ntfy topic ends with its name.
	URL string `json:"url"`
	// Template is the JSON that a webhook gets, with placeholders such as {{title}}; "" is
	// the usual one.
	Template string `json:"template,omitempty"`
	// Events are what is told: "question", "done", "failed", "limit".
	Events []string `json:"events"`
	// Folder is the one in which sessions must be, "" for any.
	Folder string `json:"folder,omitempty"`
	// QuietFrom is the time of day, such as "22:00", from which nothing is sent until
	// QuietTo. Both are "" for never.
	QuietFrom string `json:"quietFrom,omitempty"`
	// QuietTo is when the quiet hours end.
	QuietTo string `json:"quietTo,omitempty"`
	// Away has word sent only while nobody looks at Parley.
	Away bool `json:"away,omitempty"`
	// Secret is the key that signs for a webhook or the token of an ntfy server; "" removes
	// it, null leaves it.
	Secret *string `json:"secret,omitempty"`
}

// WayRef names an address.
type WayRef struct {
	// ID is the address's, as way.list gives it.
	ID string `json:"id"`
}

// Way is an address that word goes to.
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
	// Secret says that there is a key or token. It is never given.
	Secret bool `json:"secret"`
	// Waiting is how many words are still to be sent, Lost how many were left out since
	// Parley started.
	Waiting int `json:"waiting"`
	Lost    int `json:"lost"`
	// SentAt is when the last one arrived since Parley started, in milliseconds since 1970,
	// 0 for never.
	SentAt int64 `json:"sentAt"`
	// Problem is why the last one did not, "" when it did. Stopped says that nothing is sent
	// before a test arrives.
	Problem string `json:"problem"`
	Stopped bool   `json:"stopped"`
}

// WayList has the addresses that word goes to.
type WayList struct {
	Ways []Way `json:"ways"`
}
