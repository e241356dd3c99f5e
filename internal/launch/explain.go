package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.opentelemetry.io/collector/confmap"
)

// explain makes one line of the error that ended the collector, and says what to
// change where the cause is one that a user can do something about. conf is
// the configuration that was resolved, or nil.
func explain(err error, conf *confmap.Conf) string {
	var listen *net.OpError
	if errors.Is(err, syscall.EADDRINUSE) && errors.As(err, &listen) && listen.Addr != nil {
		return explainAddressInUse(listen.Addr.String(), conf)
	}
	line := strings.Join(strings.Fields(err.Error()), " ")
	var path *fs.PathError
	if errors.As(err, &path) && isUnusablePlace(path.Err) {
		return line + suggestPlace(path.Path, conf)
	}
	return line
}

func explainAddressInUse(address string, conf *confmap.Conf) string {
	_, text, _ := net.SplitHostPort(address)
	port, _ := strconv.Atoi(text)
	other := port + 10000
	if other > 65535 {
		other = port - 1
	}
	line := fmt.Sprintf("%s is in use by another process (an OpenTelemetry Collector or Datadog agent?): "+
		"stop that one, or choose another port", address)
	if key := keyOf(conf, func(v string) bool { return strings.HasSuffix(v, ":"+text) }); key != "" {
		return line + fmt.Sprintf(", for example with --set %s=localhost:%d", key, other)
	}
	if key := keyOf(conf, func(v string) bool { return strings.Contains(v, "port:"+text) }); key != "" {
		return line + " in " + key
	}
	return line
}

// isUnusablePlace says whether err is about who may write where.
func isUnusablePlace(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR},
		func(target error) bool { return errors.Is(err, target) })
}

// suggestPlace is the flag that changes the configured path in which, or of which, place is a part.
func suggestPlace(place string, conf *confmap.Conf) string {
	place = absolute(place)
	key := keyOf(conf, func(v string) bool {
		return strings.Contains(v, "/") && (isWithin(place, absolute(v)) || isWithin(absolute(v), place))
	})
	if key == "" {
		return ""
	}
	return "; to write elsewhere: --set " + key + "=/path/to/write"
}

// isWithin holds for no path below "/" itself, which some keys have as a URL path.
func isWithin(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// keyOf returns the first configuration key in alphabetical order whose value,
// written out, matches.
func keyOf(conf *confmap.Conf, matches func(string) bool) string {
	if conf == nil {
		return ""
	}
	for _, key := range conf.AllKeys() {
		if matches(fmt.Sprint(conf.Get(key))) {
			return key
		}
	}
	return ""
}
