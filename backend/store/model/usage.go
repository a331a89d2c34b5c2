package model

// Usage is the usage of one conversation of the CLI, and its cost as reported by the CLI. It
// stays when the conversation's file is gone.
type Usage struct {
	CLISessionID string `json:"cliSessionId"`
	CWD          string `json:"cwd,omitempty"`
	// Rows are in no order; no two have the same day and model.
	Rows []UsageRow `json:"rows,omitempty"`
	// Totals are the CLI's last running totals, by model; Saved are those at the end of its file,
	// from which it continues when the conversation is resumed.
	Totals []ModelTotal `json:"totals,omitempty"`
	Saved  []ModelTotal `json:"saved,omitempty"`
	// Shared is true if it contains answers that another conversation has, too.
	Shared bool `json:"shared,omitempty"`
	// Chunks is the number of its records of answers.
	Chunks int `json:"chunks,omitempty"`
}

// UsageRow is the usage of one model on one day in a conversation.
type UsageRow struct {
	// Day is the day in the user's time zone, as 2006-01-02.
	Day string `json:"day"`
	// Model is "" for cost that the CLI did not attribute to a model.
	Model   string `json:"model,omitempty"`
	Answers int64  `json:"answers,omitempty"`
	Tokens  Tokens `json:"tokens,omitzero"`
	// CostUSD is the reported cost, Priced the number of tokens that it covers.
	CostUSD float64 `json:"costUSD,omitempty"`
	Priced  int64   `json:"priced,omitempty"`
}

// ModelTotal is a running total of the CLI.
type ModelTotal struct {
	Model  string  `json:"model"`
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// CountedAnswers records which of the model's answers were counted, so that none is counted
// twice.
type CountedAnswers struct {
	CLISessionID string `json:"cliSessionId"`
	// Chunk numbers the records of the conversation from 0.
	Chunk int `json:"chunk"`
	// Counted has 12 bytes for each: a hash of its ids and its output tokens,
	// both big-endian.
	Counted []byte `json:"counted,omitempty"`
}

// BudgetWarning records which limit of a budget was reported.
type BudgetWarning struct {
	// Budget is "day-usd", "day-tokens", "month-usd" or "month-tokens".
	Budget string `json:"budget"`
	// Period is the day or month, as 2006-01-02 or 2006-01.
	Period string `json:"period"`
	// Percent is 80 or 100.
	Percent int `json:"percent"`
	// Limit is the budget at that time.
	Limit float64 `json:"limit"`
}

// Window is the size of a model's context window, as the CLI last reported it.
type Window struct {
	// Environment is where the CLI ran: "profile:" and its id, or "rehearsal".
	Environment string `json:"environment"`
	Model       string `json:"model"`
	Tokens      int64  `json:"tokens"`
	// LearnedAt defines their order.
	LearnedAt int64 `json:"learnedAt"`
}
