package settings

// Remembering says what new sessions are told of what is remembered.
type Remembering struct {
	// MemoryInject is false when they are told nothing. What a workspace says goes before
	// it only to switch it off.
	MemoryInject bool `json:"memoryInject"`
	// MemoryBudgetTokens is how much they are told at most, 200 to 20,000 tokens as they
	// are estimated.
	MemoryBudgetTokens int `json:"memoryBudgetTokens"`
}

func memoryFields() []field {
	return []field{
		{"memoryInject", func(v *Values) any { return &v.MemoryInject }, nothing},
		{"memoryBudgetTokens", func(v *Values) any { return &v.MemoryBudgetTokens },
			func(v Values) string { return within(v.MemoryBudgetTokens, 200, 20_000) }},
	}
}
