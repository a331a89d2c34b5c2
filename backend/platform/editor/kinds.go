package editor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kind is a known editor.
type kind struct {
	id, name string
	// programs are the program names.
	programs []string
	// args returns its arguments for a place.
	args func(Place) []string
	// opens is true for a program that chooses by file type.
	opens bool
}

// kinds are the graphical editors, in order of preference.
func kinds() []kind {
	return []kind{
		{id: "code", name: "Visual Studio Code", programs: []string{"code", "code-insiders"}, args: vscode},
		{id: "cursor", name: "Cursor", programs: []string{"cursor"}, args: vscode},
		{id: "windsurf", name: "Windsurf", programs: []string{"windsurf"}, args: vscode},
		{id: "codium", name: "VSCodium", programs: []string{"codium", "vscodium"}, args: vscode},
		{id: "zed", name: "Zed", programs: []string{"zed", "zeditor"}, args: colons},
		{id: "subl", name: "Sublime Text", programs: []string{"subl", "sublime_text"}, args: colons},
		{id: "idea", name: "IntelliJ IDEA", programs: []string{"idea", "idea.sh", "intellij-idea-ultimate", "intellij-idea-community"}, args: jetbrains},
		{id: "goland", name: "GoLand", programs: []string{"goland"}, args: jetbrains},
		{id: "pycharm", name: "PyCharm", programs: []string{"pycharm", "pycharm-professional", "pycharm-community"}, args: jetbrains},
		{id: "webstorm", name: "WebStorm", programs: []string{"webstorm"}, args: jetbrains},
		{id: "rustrover", name: "RustRover", programs: []string{"rustrover"}, args: jetbrains},
		{id: "clion", name: "CLion", programs: []string{"clion"}, args: jetbrains},
		{id: "kate", name: "Kate", programs: []string{"kate"}, args: kate},
		{id: "gnome-text-editor", name: "Text Editor", programs: []string{"gnome-text-editor"}, args: gedit},
		{id: "gedit", name: "gedit", programs: []string{"gedit"}, args: gedit},
		{id: "gvim", name: "GVim", programs: []string{"gvim", "mvim"}, args: vim},
		{id: "mate", name: "TextMate", programs: []string{"mate"}, args: mate},
	}
}

// kindOf finds an editor by its id or by its program's name or path.
func kindOf(program string) (kind, bool) {
	base := strings.TrimSuffix(strings.ToLower(filepath.Base(program)), ".exe")
	for _, k := range kinds() {
		if k.id == base || slices.Contains(k.programs, base) {
			return k, true
		}
	}
	return kind{}, false
}

// opener returns the system's opener, the zero kind if there is none.
func (l *Launcher) opener() kind {
	k := kind{id: System, name: "The system's program", args: plain, opens: true}
	switch l.goos {
	case "darwin":
		k.programs = []string{"/usr/bin/open"}
		// -t opens the text editor, which shows everything and runs nothing.
		k.args = func(p Place) []string { return []string{"-t", p.Path} }
	case "windows":
		k.programs = []string{`C:\Windows\explorer.exe`}
	default:
		k.programs = []string{"xdg-open"}
	}
	return k
}

func plain(p Place) []string { return []string{p.Path} }

func colons(p Place) []string { return []string{p.Path + atLine(p, ":") + atColumn(p, ":")} }

func vscode(p Place) []string {
	if p.Line <= 0 {
		return []string{p.Path}
	}
	return append([]string{"--goto"}, colons(p)...)
}

func jetbrains(p Place) []string { return withOptions(p, "--line", "--column") }

func kate(p Place) []string { return withOptions(p, "--line", "--column") }

func withOptions(p Place, line, column string) []string {
	var args []string
	if n := atLine(p, ""); n != "" {
		args = append(args, line, n)
	}
	if n := atColumn(p, ""); n != "" {
		args = append(args, column, n)
	}
	return append(args, p.Path)
}

func gedit(p Place) []string {
	if p.Line <= 0 {
		return []string{p.Path}
	}
	return []string{"+" + atLine(p, "") + atColumn(p, ":"), p.Path}
}

func vim(p Place) []string {
	if p.Line <= 0 {
		return []string{p.Path}
	}
	return []string{"+" + atLine(p, ""), p.Path}
}

func mate(p Place) []string {
	if p.Line <= 0 {
		return []string{p.Path}
	}
	return []string{"--line", atLine(p, "") + atColumn(p, ":"), p.Path}
}

// runs reports whether opening a file might run it: by its mode, or by an
// executable file type.
func runs(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode()&0o111 != 0 {
		return true
	}
	return slices.ContainsFunc([]string{path, target}, func(name string) bool {
		return slices.Contains(runnable(), strings.ToLower(strings.TrimRight(filepath.Ext(name), ". ")))
	})
}

func runnable() []string {
	return []string{
		".desktop", ".sh", ".bash", ".zsh", ".run", ".bin", ".appimage", ".deb", ".rpm", ".flatpakref", ".jar", ".jnlp", ".py", ".pyw", ".pl", ".rb",
		".app", ".command", ".tool", ".workflow", ".scpt", ".applescript", ".pkg", ".dmg", ".terminal", ".webloc", ".inetloc", ".fileloc",
		".exe", ".com", ".bat", ".cmd", ".msi", ".msix", ".appx", ".scr", ".pif", ".lnk", ".url", ".hta", ".cpl", ".chm", ".reg",
		".vbs", ".vbe", ".js", ".jse", ".ws", ".wsf", ".wsh", ".ps1", ".psm1", ".msc", ".gadget", ".application", ".html", ".htm", ".xhtml", ".svg",
	}
}
