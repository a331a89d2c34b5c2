package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// parseCron reads a cron expression. The second result is a sentence that says what is
// wrong, "" for nothing.
//
// A day of the month and a day of the week that are both given mean either of them, as
// in every cron since the first.
func parseCron(text string) (*cron.SpecSchedule, string) {
	switch {
	case strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ="):
		return nil, "Write the time zone in zone, not in cron."
	case strings.HasPrefix(text, "@every"):
		return nil, "Write the interval in every, not in cron."
	case strings.HasPrefix(text, "@"):
		if !known(descriptors(), text) {
			return nil, fmt.Sprintf("%q is not known; there are @hourly, @daily, @weekly, @monthly and @yearly.", text)
		}
	default:
		if n := len(strings.Fields(text)); n != 5 {
			return nil, fmt.Sprintf("A cron expression has five fields (minute, hour, day, month, weekday); this has %d.", n)
		}
	}
	p, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor | cron.DowOrDom)
	if err != nil {
		return nil, err.Error()
	}
	s, err := p.WithMaxSearchYears(searchYears).Parse(text)
	if err != nil {
		return nil, fmt.Sprintf("This is not a cron expression: %s.", err)
	}
	c, ok := s.(*cron.SpecSchedule)
	if !ok {
		return nil, "This is not a cron expression."
	}
	c.Location = time.UTC
	if c.Next(time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, "There is no such day in any year."
	}
	return c, ""
}

func descriptors() []string {
	return []string{"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"}
}
