// Package elicitation turns what an MCP server wants to know into questions for people, and their answers into what it gets.
//
// Goroutines: none.
package elicitation
