package settings

import (
	"fmt"
	"math"
)

// Budgets are how much a user wants to spend; 0 means no limit. Exceeding one
// stops nothing.
type Budgets struct {
	// BudgetDayUSD and BudgetMonthUSD are in dollars, up to 1,000,000.
	BudgetDayUSD   float64 `json:"budgetDayUSD"`
	BudgetMonthUSD float64 `json:"budgetMonthUSD"`
	// BudgetDayTokens and BudgetMonthTokens count all tokens, including those read
	// from a cache.
	BudgetDayTokens   int64 `json:"budgetDayTokens"`
	BudgetMonthTokens int64 `json:"budgetMonthTokens"`
}

const (
	maxBudgetUSD    = 1_000_000
	maxBudgetTokens = 1_000_000_000_000
)

func budgetFields() []field {
	return []field{
		{"budgetDayUSD", func(v *Values) any { return &v.BudgetDayUSD },
			func(v Values) string { return problemOfDollars(v.BudgetDayUSD) }},
		{"budgetMonthUSD", func(v *Values) any { return &v.BudgetMonthUSD },
			func(v Values) string { return problemOfDollars(v.BudgetMonthUSD) }},
		{"budgetDayTokens", func(v *Values) any { return &v.BudgetDayTokens },
			func(v Values) string { return problemOfTokens(v.BudgetDayTokens) }},
		{"budgetMonthTokens", func(v *Values) any { return &v.BudgetMonthTokens },
			func(v Values) string { return problemOfTokens(v.BudgetMonthTokens) }},
	}
}

func problemOfDollars(usd float64) string {
	if math.IsNaN(usd) || usd < 0 || usd > maxBudgetUSD {
		return fmt.Sprintf("must be 0 to %d dollars, not %g", maxBudgetUSD, usd)
	}
	return ""
}

func problemOfTokens(n int64) string {
	if n < 0 || n > maxBudgetTokens {
		return fmt.Sprintf("must be 0 to %d tokens, not %d", int64(maxBudgetTokens), n)
	}
	return ""
}
