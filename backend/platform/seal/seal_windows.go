package seal

// seal has nothing to do here.
func seal() (*wiper, error) { return nil, nil }
