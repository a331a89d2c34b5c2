package history

// FolderName returns the CLI's folder name for a project: every character of the
// path outside of A–Z, a–z and 0–9 becomes a hyphen. The CLI counts UTF-16 units,
// so a character beyond the basic plane (an emoji) becomes two. Different paths may
// get the same name, and it can't be reversed: the path of a project is read from
// its transcripts.
func FolderName(path string) string {
	name := make([]byte, 0, len(path))
	for _, r := range path {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			name = append(name, byte(r))
		case r > 0xffff:
			name = append(name, '-', '-')
		default:
			name = append(name, '-')
		}
	}
	return string(name)
}
