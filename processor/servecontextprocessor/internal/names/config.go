package names

import (
	"errors"
	"fmt"
)

// Preset is what the switches are that a user does not set.
type Preset string

const (
	// PresetServe makes every change.
	PresetServe Preset = "serve"
	// PresetAgent makes the changes that leave Datadog's service, operation and
	// resource names as they are for the untouched span.
	PresetAgent Preset = "agent"
	// PresetNone changes nothing.
	PresetNone Preset = "none"
)

// Config is the names block of serve_context.
type Config struct {
	// Preset decides on all switches below that are not set.
	Preset Preset `mapstructure:"preset"`
	// ServiceName says how services are named.
	ServiceName ServiceName `mapstructure:"service_name"`
	// ExceptionsAsErrors gives replica spans that recorded an exception the status
	// ERROR, which Ray leaves unset.
	ExceptionsAsErrors bool `mapstructure:"exceptions_as_errors"`

	// Kinds makes a call by a handle, route_to_replica, a CLIENT span. Ray makes
	// it a SERVER span, so a request counts three times.
	Kinds *bool `mapstructure:"kinds"`
	// Methods takes the Python method out of http.method.
	Methods *bool `mapstructure:"methods"`
	// RPCSystem replaces Ray's values of rpc.system by the convention's.
	RPCSystem *bool `mapstructure:"rpc_system"`
	// Routes puts the request's route where Ray puts the raw path: in http.route,
	// resource.name and the name of proxy spans.
	Routes *bool `mapstructure:"routes"`
	// LostAttributes fills in the attributes that Ray loses under concurrency.
	LostAttributes *bool `mapstructure:"lost_attributes"`
}

// ServiceName says how services are named whose name is missing or unknown_service….
type ServiceName struct {
	// Enabled is one of the switches that Preset decides on.
	Enabled *bool `mapstructure:"enabled"`
	// Template makes a replica's service name of its {app}, {deployment} and {replica_id}.
	Template string `mapstructure:"template"`
	// Proxy is the service name of Serve's proxies.
	Proxy string `mapstructure:"proxy"`
	// Override replaces service names that somebody has set, too.
	Override bool `mapstructure:"override"`
}

// DefaultConfig is the configuration of a user who writes nothing.
func DefaultConfig() Config {
	return Config{
		Preset:             PresetServe,
		ServiceName:        ServiceName{Template: "{app}.{deployment}", Proxy: "serve-proxy"},
		ExceptionsAsErrors: true,
	}
}

// Validate says which key cannot be as it is.
func (c *Config) Validate() error {
	switch c.Preset {
	case PresetServe, PresetAgent:
	case PresetNone:
		if key := c.switchedOn(); key != "" {
			return fmt.Errorf("%s has no effect with preset none", key)
		}
	default:
		return fmt.Errorf("preset must be serve, agent or none, not %q", c.Preset)
	}
	if _, err := parseTemplate(c.ServiceName.Template); err != nil {
		return fmt.Errorf("service_name::template: %w", err)
	}
	if c.ServiceName.Proxy == "" {
		return errors.New("service_name::proxy must not be empty")
	}
	if c.ServiceName.Override && c.Preset != PresetNone && !c.on(c.ServiceName.Enabled) {
		return errors.New("service_name::override has no effect without service_name::enabled")
	}
	return nil
}

// on is a switch's position.
func (c *Config) on(position *bool) bool {
	if position != nil {
		return *position
	}
	return c.Preset == PresetServe
}

// switchedOn names a switch that the user has set to true; "" if there is none.
func (c *Config) switchedOn() string {
	for _, s := range []struct {
		key      string
		position *bool
	}{
		{"service_name::enabled", c.ServiceName.Enabled},
		{"kinds", c.Kinds},
		{"methods", c.Methods},
		{"rpc_system", c.RPCSystem},
		{"routes", c.Routes},
		{"lost_attributes", c.LostAttributes},
	} {
		if s.position != nil && *s.position {
			return s.key
		}
	}
	return ""
}
