package child

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// prepare keeps console windows and Parley's Ctrl+C away from the CLI.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// group ties the CLI to Parley's life: a job object that ends all its
// processes when its last handle is closed, by release or by Parley's end.
type group struct{ job windows.Handle }

func guard(cli *os.Process, _ *slog.Logger) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}, fmt.Errorf("create job object: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(job, cli)
	}
	if err != nil {
		windows.CloseHandle(job)
		_ = cli.Kill()
		_, _ = cli.Wait()
		return group{}, fmt.Errorf("tie the CLI to a job object: %w", err)
	}
	return group{job}, nil
}

func assign(job windows.Handle, cli *os.Process) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cli.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

func (g group) release() { windows.CloseHandle(g.job) }

// enter does nothing: there are no control groups here.
func enter(*exec.Cmd, int) {}
