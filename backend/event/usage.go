package event

// UsageChanged says that the accounts of usage have changed.
type UsageChanged struct {
	Whole
	// Budgets are those that are set, as they are now.
	Budgets []Budget `json:"budgets"`
	// Reached are those that have just come to a level, of which a user is told once.
	Reached []Budget `json:"reached"`
}

// Budget is a limit that a user set, and how much of it is used. Going over it stops
// nothing.
type Budget struct {
	// Name is "day-usd", "day-tokens", "month-usd" or "month-tokens".
	Name string `json:"name"`
	// Period is the day or month that it counts, as 2006-01-02 or 2006-01.
	Period string `json:"period"`
	// Limit and Used are dollars or tokens.
	Limit float64 `json:"limit"`
	Used  float64 `json:"used"`
	// Level is 80 or 100 when that part of it is reached, in percent, else 0.
	Level int `json:"level"`
}

// EventName implements [Event].
func (*UsageChanged) EventName() string { return "usage.changed" }
