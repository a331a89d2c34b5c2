package event

// UsageChanged reports that the usage figures have changed.
type UsageChanged struct {
	NoHeader
	// Budgets are the current budgets.
	Budgets []Budget `json:"budgets"`
	// Reached are those that just reached a level, which is reported to the user
	// once.
	Reached []Budget `json:"reached"`
}

// Budget is a user's limit, and its usage. Exceeding it stops nothing.
type Budget struct {
	// Name is "day-usd", "day-tokens", "month-usd" or "month-tokens".
	Name string `json:"name"`
	// Period is the day or month it covers, as 2006-01-02 or 2006-01.
	Period string `json:"period"`
	// Limit and Used are in dollars or tokens.
	Limit float64 `json:"limit"`
	Used  float64 `json:"used"`
	// Level is the reached percentage, 80 or 100, else 0.
	Level int `json:"level"`
}

// EventName implements [Event].
func (*UsageChanged) EventName() string { return "usage.changed" }
