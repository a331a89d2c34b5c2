package history

// FolderName is how the CLI names the folder of a project: every character of the
// path outside of A–Z, a–z and 0–9 becomes a hyphen. The CLI counts characters in
// UTF-16, so one beyond the basic plane (an emoji) becomes two. Different paths may
// get the same name, and the way back is lost: the path of a project is read from
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
