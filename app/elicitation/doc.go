// Package elicitation converts an MCP server's elicitation to questions for users, and their answers to its response.
//
// Goroutines: none.
package elicitation
