// Package files handles files that users mention in prompts, attach, open in an editor and save.
package files
