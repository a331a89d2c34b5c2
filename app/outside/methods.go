package outside

import "parley/app/method"

// Methods are the service's API methods.
func (o *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("outside.list", "Lists changes by other programs to Parley's files that allow more than before, and wait for a decision.",
			o.List),
		method.New("outside.accept", "Accepts a changed file, as it was shown. The name \"store\" stands for Parley's database.",
			o.Accept),
		method.New("outside.undo", "Restores the values in use. The changed version is kept next to the file.",
			o.Undo),
	}
}
