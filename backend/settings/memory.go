package settings

// Memory defines which memories new sessions get.
type Memory struct {
	// MemoryInject is false if they get none. A workspace's setting can only switch it
	// off.
	MemoryInject bool `json:"memoryInject"`
	// MemoryBudgetTokens limits the size of the memories, 200 to 20,000 estimated
	// tokens.
	MemoryBudgetTokens int `json:"memoryBudgetTokens"`
}

func memoryFields() []field {
	return []field{
		{"memoryInject", func(v *Values) any { return &v.MemoryInject }, nothing},
		{"memoryBudgetTokens", func(v *Values) any { return &v.MemoryBudgetTokens },
			func(v Values) string { return within(v.MemoryBudgetTokens, 200, 20_000) }},
	}
}
