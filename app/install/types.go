package install

// CLIStatus says which Claude Code CLI Parley would run.
type CLIStatus struct {
	Found   bool   `json:"found"`
	Path    string `json:"path"`
	Version string `json:"version"`
	// Source is where it was found: "setting", "environment", "path",
	// "well-known" or "parley".
	Source string `json:"source"`
	// Code, Message and Hint describe the problem and the remedy, if it is not usable.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// InstallCommand is what a user would type to install it.
	InstallCommand string `json:"installCommand"`
}

// CLIInstall is the result of installing the CLI.
type CLIInstall struct {
	CLI CLIStatus `json:"cli"`
	// Output is the end of the package manager's output.
	Output string `json:"output"`
}

// CLIInstalling is the progress of an installation.
type CLIInstalling struct {
	Running bool  `json:"running"`
	Seconds int64 `json:"seconds"`
	// Step is the package manager's last output.
	Step string `json:"step"`
}
