package history

import "context"

// Lines calls fn for every complete line of the file, oldest first, as the CLI wrote
// it. Lines over 8 MiB are skipped. The bytes are valid during the call.
func (t *Transcript) Lines(ctx context.Context, fn func(line []byte)) error {
	s, err := t.open()
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = forward(ctx, s, 0, s.size, func(_ span, line []byte) error {
		if line != nil {
			fn(line)
		}
		return nil
	})
	return err
}
