package checkup

import (
	"path/filepath"

	"parley/backend/claude"
	"parley/backend/paths"
)

// Check reads and verifies everything in the data folder, passes each line to tell, and reports
// whether there are no problems. With repair, safe repairs are made; then nobody else may use the
// folder (fault conflict).
func Check(dirs paths.Dirs, env []string, repair bool, tell func(level, what, says string)) (ok bool, err error) {
	cfg := Config{
		Data: dirs.Data, Projects: filepath.Join(claude.ConfigDir(env, dirs.Home), "projects"),
		Tell: func(l Line) { tell(string(l.Level), l.What, l.Says) },
	}
	if !repair {
		return Run(cfg)
	}
	lock, err := dirs.Lock(0)
	if err != nil {
		return false, err
	}
	defer func() { _ = lock.Release() }()
	return Repair(cfg)
}
