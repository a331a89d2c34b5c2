package usage

// Budget is a limit that a user set, and how much of it is used. Exceeding it
// stops nothing.
type Budget struct {
	// Name is "day-usd", "day-tokens", "month-usd" or "month-tokens".
	Name string
	// Period is the day or month that it counts, as 2006-01-02 or 2006-01.
	Period string
	// Limit and Used are dollars or tokens.
	Limit, Used float64
}

// The levels of a budget at which the user is notified, in percent.
const (
	BudgetNear = 80
	BudgetOver = 100
)

// Level is the highest level reached, 0 for none.
func (b *Budget) Level() int {
	switch {
	case b.Limit <= 0:
		return 0
	case b.Used >= b.Limit:
		return BudgetOver
	case b.Used*100 >= b.Limit*BudgetNear:
		return BudgetNear
	}
	return 0
}

// Limits are a user's budgets; 0 means none.
type Limits struct {
	DayUSD, MonthUSD       float64
	DayTokens, MonthTokens int64
}

// Budgets returns the set limits, with their use according to rows
// on a day and in its month. day is written as 2006-01-02.
func Budgets(rows []Row, limits Limits, day string) []Budget {
	month := day[:min(len(day), len("2006-01"))]
	var dayUSD, monthUSD, dayTokens, monthTokens float64
	for _, r := range rows {
		if len(r.Day) < len(month) || r.Day[:len(month)] != month {
			continue
		}
		tokens := float64(Sum(r.Tokens))
		monthUSD += r.CostUSD
		monthTokens += tokens
		if r.Day == day {
			dayUSD += r.CostUSD
			dayTokens += tokens
		}
	}
	list := []Budget{}
	for _, b := range []Budget{
		{"day-usd", day, limits.DayUSD, dayUSD},
		{"day-tokens", day, float64(limits.DayTokens), dayTokens},
		{"month-usd", month, limits.MonthUSD, monthUSD},
		{"month-tokens", month, float64(limits.MonthTokens), monthTokens},
	} {
		if b.Limit > 0 {
			list = append(list, b)
		}
	}
	return list
}
