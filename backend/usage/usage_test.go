package usage_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/usage"
)

func TestMeterReading(t *testing.T) {
	call := func(in, read, created, out int64) event.Usage {
		return event.Usage{InputTokens: in, CacheReadTokens: read, CacheCreationTokens: created, OutputTokens: out}
	}
	tests := []struct {
		name  string
		do    func(m *usage.Meter)
		want  event.Context
		known bool
	}{
		{
			name: "before the first call nothing is known",
			do:   func(*usage.Meter) {},
			want: event.Context{},
		},
		{
			name:  "the four figures add up, and of a window that is not known nothing is claimed",
			do:    func(m *usage.Meter) { m.Call("m", call(10, 2000, 300, 1)) },
			known: true,
			want:  event.Context{Used: 2311, InputTokens: 10, CacheReadTokens: 2000, CacheCreationTokens: 300, OutputTokens: 1},
		},
		{
			name: "a call replaces the one before",
			do: func(m *usage.Meter) {
				m.Call("m", call(10, 2000, 300, 1))
				m.Output(call(0, 0, 0, 500))
				m.Call("m", call(5, 2800, 10, 1))
			},
			known: true,
			want:  event.Context{Used: 2816, InputTokens: 5, CacheReadTokens: 2800, CacheCreationTokens: 10, OutputTokens: 1},
		},
		{
			name: "zeros at the start are filled in at the end",
			do: func(m *usage.Meter) {
				m.Call("m", call(0, 0, 0, 0))
				m.Output(call(7, 20, 3, 9))
			},
			known: true,
			want:  event.Context{Used: 39, InputTokens: 7, CacheReadTokens: 20, CacheCreationTokens: 3, OutputTokens: 9},
		},
		{
			name: "a provider that reports nothing leaves the last reading, as an old one",
			do: func(m *usage.Meter) {
				m.Call("m", call(1, 125_000, 0, 1))
				m.Output(call(0, 0, 0, 20))
				m.Call("m", call(0, 0, 0, 1))
				m.Output(call(0, 0, 0, 300))
			},
			known: true,
			want:  event.Context{Used: 125_021, InputTokens: 1, CacheReadTokens: 125_000, OutputTokens: 20, Old: true},
		},
		{
			name: "it is old until one is reported again",
			do: func(m *usage.Meter) {
				m.Call("m", call(1, 125_000, 0, 1))
				m.Call("m", call(0, 0, 0, 0))
				m.Call("m", call(3, 126_000, 0, 2))
			},
			known: true,
			want:  event.Context{Used: 126_005, InputTokens: 3, CacheReadTokens: 126_000, OutputTokens: 2},
		},
		{
			name: "or at the end of the call",
			do: func(m *usage.Meter) {
				m.Call("m", call(1, 125_000, 0, 1))
				m.Call("m", call(0, 0, 0, 0))
				m.Output(call(0, 127_000, 0, 4))
			},
			known: true,
			want:  event.Context{Used: 127_004, CacheReadTokens: 127_000, OutputTokens: 4},
		},
		{
			name: "nothing was ever reported",
			do: func(m *usage.Meter) {
				m.Call("m", call(0, 0, 0, 0))
				m.Output(call(0, 0, 0, 40))
			},
			want: event.Context{Old: true},
		},
		{
			name: "after a compaction to an unknown size nothing is old",
			do: func(m *usage.Meter) {
				m.Call("m", call(1, 125_000, 0, 1))
				m.Call("m", call(0, 0, 0, 0))
				m.Compacted(0)
			},
			want: event.Context{},
		},
		{
			name: "the CLI says the window",
			do: func(m *usage.Meter) {
				m.Call("m", call(620_000, 0, 0, 0))
				m.ReportWindows(map[string]int64{"m": 1_000_000})
				m.ReportWindows(map[string]int64{"helper": 200_000})
			},
			known: true,
			want: event.Context{Used: 620_000, Window: 1_000_000, WindowSource: "cli", Percent: new(62.0), Level: "warning",
				InputTokens: 620_000},
		},
		{
			name: "a suffix raises a base size that the CLI reports",
			do: func(m *usage.Meter) {
				m.Call("m[1m]", call(434_000, 0, 0, 0))
				m.ReportWindows(map[string]int64{"m": 200_000})
			},
			known: true,
			want: event.Context{Used: 434_000, Window: 1_000_000, WindowSource: "model", Percent: new(43.4), Level: "ok",
				InputTokens: 434_000},
		},
		{
			name:  "warning starts at 60 percent",
			do:    func(m *usage.Meter) { m.Call("m[200k]", call(120_000, 0, 0, 0)) },
			known: true,
			want:  event.Context{Used: 120_000, Window: 200_000, WindowSource: "model", Percent: new(60.0), Level: "warning", InputTokens: 120_000},
		},
		{
			name:  "just under 60 percent is not rounded up to a warning",
			do:    func(m *usage.Meter) { m.Call("m[200k]", call(119_999, 0, 0, 0)) },
			known: true,
			want:  event.Context{Used: 119_999, Window: 200_000, WindowSource: "model", Percent: new(60.0), Level: "ok", InputTokens: 119_999},
		},
		{
			name:  "critical starts at 75 percent",
			do:    func(m *usage.Meter) { m.Call("m[200k]", call(150_000, 0, 0, 0)) },
			known: true,
			want:  event.Context{Used: 150_000, Window: 200_000, WindowSource: "model", Percent: new(75.0), Level: "critical", InputTokens: 150_000},
		},
		{
			name: "compaction shows what is left",
			do: func(m *usage.Meter) {
				m.Call("m", call(150_000, 0, 0, 0))
				m.Compacted(4_000)
			},
			known: true,
			want:  event.Context{Used: 4_000, InputTokens: 4_000},
		},
		{
			name: "compaction to an unknown size is unknown",
			do: func(m *usage.Meter) {
				m.Call("m", call(150_000, 0, 0, 0))
				m.Compacted(0)
			},
			want: event.Context{},
		},
		{
			name: "clear forgets the tokens but not the window",
			do: func(m *usage.Meter) {
				m.Call("m", call(150_000, 0, 0, 0))
				m.ReportWindows(map[string]int64{"m": 500_000})
				m.Reset()
			},
			want: event.Context{Window: 500_000, WindowSource: "cli", Percent: new(0.0), Level: "ok"},
		},
		{
			name: "texts that the CLI makes up do not change the model",
			do: func(m *usage.Meter) {
				m.ReportWindows(map[string]int64{"m": 1_000_000})
				m.Call("m", call(1, 0, 0, 0))
				m.SetModel("<synthetic>")
			},
			known: true,
			want:  event.Context{Used: 1, Window: 1_000_000, WindowSource: "cli", Percent: new(0.0), Level: "ok", InputTokens: 1},
		},
	}
	known := func(used, window int64) event.Context {
		c := event.Context{Used: used, Window: window, WindowSource: "cli", InputTokens: used}
		usage.FillContext(&c)
		return c
	}
	unknown := func(used int64) event.Context { return event.Context{Used: used, InputTokens: used} }
	begun := func(m *usage.Meter, model string) {
		m.SetModel(model)
		m.Call(usage.TrimWindowSuffix(model), call(100, 0, 0, 0))
	}
	for _, more := range []struct {
		name string
		do   func(m *usage.Meter)
		want event.Context
	}{
		{"the API leaves out the suffix", func(m *usage.Meter) {
			begun(m, "m[1m]")
			m.ReportWindows(map[string]int64{"m[1m]": 1_000_000})
		}, known(100, 1_000_000)},
		{"with a suffix it is another window", func(m *usage.Meter) {
			begun(m, "m")
			m.ReportWindows(map[string]int64{"m[1m]": 1_000_000})
		}, unknown(100)},
		{"another model that is known", func(m *usage.Meter) {
			begun(m, "m")
			m.ReportWindows(map[string]int64{"m": 1_000_000, "n": 200_000})
			m.Switch("n")
		}, known(100, 200_000)},
		{"another model that is not", func(m *usage.Meter) {
			begun(m, "m")
			m.ReportWindows(map[string]int64{"m": 1_000_000})
			m.Switch("n")
		}, unknown(100)},
		{"a model that the CLI has yet to name", func(m *usage.Meter) {
			begun(m, "m")
			m.ReportWindows(map[string]int64{"m": 1_000_000})
			m.Switch("")
		}, unknown(100)},
		{"another model steps in", func(m *usage.Meter) {
			begun(m, "m")
			m.ReportWindows(map[string]int64{"m": 1_000_000})
			m.Call("n", call(100, 0, 0, 0))
		}, unknown(100)},
		{"a provider's own name", func(m *usage.Meter) {
			m.SetModel("eu.m-v1")
			m.Call("m-2026", call(100, 0, 0, 0))
			m.ReportWindows(map[string]int64{"eu.m-v1": 1_000_000})
			m.Call("m-2026", call(100, 0, 0, 0))
		}, known(100, 1_000_000)},
		{"the CLI's newest word", func(m *usage.Meter) {
			begun(m, "m")
			m.ReportWindows(map[string]int64{"m": 200_000})
			m.ReportWindows(map[string]int64{"m": 1_000_000})
		}, known(100, 1_000_000)},
		{"what was known when it was put away", func(m *usage.Meter) {
			m.Resume("m", 500_000)
			begun(m, "m")
		}, known(100, 500_000)},
		{"of another model", func(m *usage.Meter) {
			m.Resume("m", 500_000)
			begun(m, "n")
		}, unknown(100)},
	} {
		tests = append(tests, struct {
			name  string
			do    func(m *usage.Meter)
			want  event.Context
			known bool
		}{more.name, more.do, more.want, true})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var m usage.Meter
			tt.do(&m)
			got, known := m.Reading()
			if known != tt.known {
				t.Errorf("known = %v, want %v", known, tt.known)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reading (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCostTurn(t *testing.T) {
	tests := []struct {
		name   string
		totals []float64
		want   []float64
	}{
		{"a running total gives differences", []float64{0.25, 0.75, 0.75}, []float64{0.25, 0.5, 0}},
		{"a total that fell counts from zero", []float64{0.5, 0.125}, []float64{0.5, 0.125}},
		{"what is no number is ignored", []float64{0.5, math.NaN(), math.Inf(1), -1, 0.75}, []float64{0.5, 0, 0, 0, 0.25}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c usage.Cost
			var got []float64
			for _, total := range tt.totals {
				got = append(got, c.Turn(total))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("turn costs (-want +got):\n%s", diff)
			}
		})
	}
}
