package install

// CLIStatus says which Claude Code CLI Parley would run.
type CLIStatus struct {
	Found   bool   `json:"found"`
	Path    string `json:"path"`
	Version string `json:"version"`
	// Source is where it was found: "setting", "environment", "path",
	// "well-known" or "parley".
	Source string `json:"source"`
	// Code, Message and Hint say what is wrong and what to do, when it is not
	// usable.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// InstallCommand is what a user would type to install it.
	InstallCommand string `json:"installCommand"`
}

// CLIInstall is the outcome of installing the CLI.
type CLIInstall struct {
	CLI CLIStatus `json:"cli"`
	// Output is the end of what the package manager said.
	Output string `json:"output"`
}

// CLIInstalling is how far an installation is.
type CLIInstalling struct {
	Running bool  `json:"running"`
	Seconds int64 `json:"seconds"`
	// Step is what the package manager said last.
	Step string `json:"step"`
}
