package rule

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// hostOf returns the host of a web address in its wire format. sure is false if
// programs may parse the address differently.
func hostOf(address string) (host string, sure bool) {
	sure = !strings.ContainsAny(address, "\\ \t\r\n") && isASCII(strings.SplitN(address+"://", "://", 2)[0])
	u, err := url.Parse(strings.TrimSpace(strings.ReplaceAll(address, `\`, "/")))
	if err != nil || u.Host == "" {
		return "", false
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.ContainsAny(u.Host, "%@") {
		sure = false
	}
	host, err = asciiHost(u.Hostname())
	if err != nil {
		return "", false
	}
	if _, err := netip.ParseAddr(host); err != nil && looksNumeric(host) {
		sure = false // some programs accept 127.1 and 0x7f000001 as addresses
	}
	return host, sure
}

// looksNumeric reports whether a host's last label is a number, as only in
// unusual address forms.
func looksNumeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && last[0] >= '0' && last[0] <= '9'
}

// asciiHost returns a host in lower case, with punycode for non-ASCII and without a
// trailing dot.
func asciiHost(host string) (string, error) {
	host = strings.TrimSuffix(host, ".")
	if host == "" {
		return "", fmt.Errorf("the host is missing")
	}
	if strings.Contains(host, ":") { // IPv6
		addr, err := netip.ParseAddr(host)
		if err != nil {
			return "", fmt.Errorf("%q is not a host", host)
		}
		return addr.Unmap().String(), nil
	}
	if isASCII(host) && !strings.Contains(strings.ToLower(host), "xn--") {
		return strings.ToLower(host), nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return "", fmt.Errorf("%q is not a host", host)
	}
	return strings.TrimSuffix(ascii, "."), nil
}

// hostPattern checks and normalizes the host of a rule, which may contain *.
func hostPattern(text string) (string, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "/@ ?#") || strings.Contains(text, ":") && !strings.HasPrefix(text, "[") {
		return "", fmt.Errorf("%q is not a host: leave out the scheme, the port and the path", text)
	}
	text = strings.Trim(text, "[]")
	labels := strings.Split(strings.TrimSuffix(text, "."), ".")
	for i, l := range labels {
		if strings.Contains(l, "*") {
			if !isASCII(l) {
				return "", fmt.Errorf("%q has a * beside letters of other scripts", text)
			}
			labels[i] = strings.ToLower(l)
			continue
		}
		if strings.Contains(l, ":") {
			return asciiHost(text)
		}
		ascii, err := asciiHost(l)
		if err != nil {
			return "", fmt.Errorf("%q is not a host", text)
		}
		labels[i] = ascii
	}
	return strings.Join(labels, "."), nil
}

// fitsHost reports whether a pattern matches a host: * alone is any host, a
// leading *. is any subdomain, and elsewhere * stays between two dots.
func fitsHost(pattern, host string) bool {
	if pattern == "*" {
		return true
	}
	if rest, ok := strings.CutPrefix(pattern, "*."); ok {
		for {
			_, tail, more := strings.Cut(host, ".")
			if !more {
				return false
			}
			if fitsHost(rest, tail) {
				return true
			}
			host = tail
		}
	}
	want, have := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if !fits(want[i], have[i]) {
			return false
		}
	}
	return true
}
