// Package tools pins the versions of the development tools, in its go.mod.
package tools
