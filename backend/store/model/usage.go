package model

// Usage is what one conversation of the CLI used, and what the CLI says it cost. It
// stays when the conversation's file is gone.
type Usage struct {
	CLISessionID string `json:"cliSessionId"`
	CWD          string `json:"cwd,omitempty"`
	// Rows are in no order; no two have the same day and model.
	Rows []UsageRow `json:"rows,omitempty"`
	// Totals are the CLI's last running totals, by model; Saved are those that its file
	// ends with, from which it continues when the conversation is resumed.
	Totals []ModelTotal `json:"totals,omitempty"`
	Saved  []ModelTotal `json:"saved,omitempty"`
	// Shared is true when answers were found in it that another conversation had, too.
	Shared bool `json:"shared,omitempty"`
	// Chunks is how many records of answers there are.
	Chunks int `json:"chunks,omitempty"`
}

// UsageRow is what a conversation used of one model on one day.
type UsageRow struct {
	// Day is the user's, as 2006-01-02.
	Day string `json:"day"`
	// Model is "" for cost that the CLI did not tell apart.
	Model   string `json:"model,omitempty"`
	Answers int64  `json:"answers,omitempty"`
	Tokens  Tokens `json:"tokens,omitzero"`
	// CostUSD is what the CLI reported, Priced for how many tokens.
	CostUSD float64 `json:"costUSD,omitempty"`
	Priced  int64   `json:"priced,omitempty"`
}

// ModelTotal is a running total of the CLI's.
type ModelTotal struct {
	Model  string  `json:"model"`
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// CountedAnswers say which of the model's answers were counted, so that none is counted
// twice.
type CountedAnswers struct {
	CLISessionID string `json:"cliSessionId"`
	// Chunk counts the records of the conversation from 0.
	Chunk int `json:"chunk"`
	// Counted has 12 bytes for each: a hash of its ids and the tokens that it put out,
	// both big-endian.
	Counted []byte `json:"counted,omitempty"`
}

// BudgetWarning says which limit of a budget was told of.
type BudgetWarning struct {
	// Budget is "day-usd", "day-tokens", "month-usd" or "month-tokens".
	Budget string `json:"budget"`
	// Period is the day or month, as 2006-01-02 or 2006-01.
	Period string `json:"period"`
	// Percent is 80 or 100.
	Percent int `json:"percent"`
	// Limit is what the budget was then.
	Limit float64 `json:"limit"`
}

// Window is how large a model's context window is, as the CLI said last.
type Window struct {
	// Environment is what the CLI ran in: "profile:" and its id, or "rehearsal".
	Environment string `json:"environment"`
	Model       string `json:"model"`
	Tokens      int64  `json:"tokens"`
	// LearnedAt orders them.
	LearnedAt int64 `json:"learnedAt"`
}
