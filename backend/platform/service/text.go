package service

import (
	"fmt"
	"html"
	"strings"
)

// Name is the service's name.
const Name = "parley"

// Unit returns the unit for the user's systemd. command is the program with its
// arguments.
//
// Hardening that would also restrict the user's commands is omitted, because they run in the
// service: without new privileges there is no sudo, and every system call filter implies
// that; without a shared /tmp and a writable home folder, no work is possible.
func Unit(command []string) string {
	return fmt.Sprintf(`# Made by "parley service install", which rewrites it.
[Unit]
Description=Parley, sessions of Claude Code
StartLimitIntervalSec=10min
StartLimitBurst=10

[Service]
Type=notify
NotifyAccess=main
ExecStart=%s
# The program on the disk takes over from the running one, when sessions allow.
ExecReload=/bin/kill -HUP $MAINPID
# The first line on standard output has the token, which is for no log.
StandardOutput=null
# It says that it works only when it does. What hangs is ended and started again.
WatchdogSec=60s
TimeoutStartSec=90s
TimeoutStopSec=15s
Restart=on-failure
# From 1 s up to a minute; systemd before 254 always waits the first.
RestartSec=1s
RestartSteps=6
RestartMaxDelaySec=60s
# Sessions end what they started; what is left is ended with the service.
KillMode=mixed
# Each session gets a control group of its own.
Delegate=yes
# A command that takes too much memory does not take Parley with it.
OOMPolicy=continue
# What is in memory stays out of core files, as far as no command asks for them.
LimitCORE=0:infinity

[Install]
WantedBy=default.target
`, unitCommand(command))
}

// unitCommand formats a command for ExecStart.
func unitCommand(command []string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `$$`, `%`, `%%`, "\n", `\n`, "\t", `\t`)
	args := make([]string, 0, len(command))
	for _, arg := range command {
		args = append(args, `"`+quoted.Replace(arg)+`"`)
	}
	return strings.Join(args, " ")
}

// Agent is the property list for the user's launchd.
func Agent(command []string, logFile string) string {
	var args strings.Builder
	for _, arg := range command {
		_, _ = fmt.Fprintf(&args, "\t\t<string>%s</string>\n", html.EscapeString(arg))
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
%s	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>10</integer>
	<key>ExitTimeOut</key>
	<integer>15</integer>
	<key>StandardOutPath</key>
	<string>/dev/null</string>
	<key>StandardErrorPath</key>
	<string>%s</string>
</dict>
</plist>
`, Name, args.String(), html.EscapeString(logFile))
}

// Task is the task for the scheduler of Windows, for the user with that name.
func Task(command []string, user string) string {
	return fmt.Sprintf(`<?xml version="1.0"?>
<Task version="1.4" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Parley, sessions of Claude Code</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>%[1]s</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>%[1]s</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%[2]s</Command>
      <Arguments>%[3]s</Arguments>
    </Exec>
  </Actions>
</Task>
`, html.EscapeString(user), html.EscapeString(command[0]), html.EscapeString(windowsArguments(command[1:])))
}

// windowsArguments writes arguments as programs of Windows take them apart.
func windowsArguments(args []string) string {
	var b strings.Builder
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if arg != "" && !strings.ContainsAny(arg, " \t\n\"") {
			b.WriteString(arg)
			continue
		}
		b.WriteByte('"')
		slashes := 0
		for _, r := range arg {
			switch r {
			case '\\':
				slashes++
				continue
			case '"':
				b.WriteString(strings.Repeat(`\`, 2*slashes+1))
			default:
				b.WriteString(strings.Repeat(`\`, slashes))
			}
			slashes = 0
			b.WriteRune(r)
		}
		b.WriteString(strings.Repeat(`\`, 2*slashes))
		b.WriteByte('"')
	}
	return b.String()
}
